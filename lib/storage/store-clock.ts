import type { DataSource } from 'typeorm';

/**
 * Where the store's "now" comes from, in every decision about due, late and stale. It is an SQL expression, evaluated
 * by the server, so that no node's own clock decides anything.
 */
export abstract class StoreClock {
  /** An SQL expression of type bigint: whole Unix milliseconds, rounded down. */
  abstract readonly nowSql: string;

  /** Is called before the first statement of a store; a store may be reached from several processes. */
  prepare?(dataSource: DataSource, schema: string): Promise<void>;
}

/** PostgreSQL's wall clock. `floor`, because a cast would round up to half a millisecond into the future. */
export class PostgresClock extends StoreClock {
  readonly nowSql = '(floor(extract(epoch from clock_timestamp()) * 1000)::bigint)';
}
