/**
 * Where the store's "now" comes from, in every decision about due, late and stale. It is an SQL expression, evaluated
 * by the server, so that no node's own clock decides anything.
 */
export abstract class StoreClock {
  /** An SQL expression of type bigint: whole Unix milliseconds, rounded down. */
  abstract readonly nowSql: string;
}

/** PostgreSQL's wall clock. `floor`, because a cast would round up to half a millisecond into the future. */
export class PostgresClock extends StoreClock {
  readonly nowSql = '(floor(extract(epoch from clock_timestamp()) * 1000)::bigint)';
}
