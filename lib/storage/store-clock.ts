import type { DataSource } from 'typeorm';

/**
 * Where the store's "now" comes from, in every decision about due, late and stale. It is an SQL expression, evaluated
 * by the server, so that no node's own clock decides anything.
 */
export abstract class StoreClock {
  /** An SQL expression of type bigint: whole Unix milliseconds, rounded down. */
  abstract readonly nowSql: string;

  /**
   * Makes the clock of one store, and is called before the first statement of that; a store may be reached from several
   * processes. Default: every store goes by this clock.
   */
  forStore?(dataSource: DataSource, schema: string): Promise<StoreClock>;
}

/** PostgreSQL's wall clock. `floor`, because a cast would round up to half a millisecond into the future. */
export class PostgresClock extends StoreClock {
  readonly nowSql = '(floor(extract(epoch from clock_timestamp()) * 1000)::bigint)';
}
