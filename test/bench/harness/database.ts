import pg from 'pg';

/** A database of the benchmark's server. */
export class Database {
  private readonly pool: pg.Pool;

  constructor(readonly url: string) {
    this.pool = new pg.Pool({ connectionString: url, max: 2, application_name: 'bench' });
    // Dropping a database ends its idle connections.
    this.pool.on('error', () => undefined);
  }

  async query<Row extends object>(text: string, values: readonly unknown[] = []): Promise<Row[]> {
    const { rows } = await this.pool.query<Row>(text, [...values]);
    return rows;
  }

  /** The one value that a statement selects as `value`. */
  async value<Value>(text: string, values: readonly unknown[] = []): Promise<Value> {
    const [row] = await this.query<{ value: Value }>(text, values);
    if (row === undefined) {
      throw new Error(`No row: ${text}`);
    }
    return row.value;
  }

  async close(): Promise<void> {
    await this.pool.end();
  }
}
