import { PostgresClock, StoreClock } from '../../lib/storage/index.js';
import type { TestDatabase } from './database.js';

/**
 * The store's time in the hands of a test: PostgreSQL's own, ahead or behind by what the test says, or standing still.
 * It lives in a table, so that it is the same for every node on the database.
 */
export class MovedClock extends StoreClock {
  readonly nowSql = `(select coalesce(frozen_at, ${new PostgresClock().nowSql} + moved_by) from public.test_clock)`;

  private constructor(private readonly database: TestDatabase) {
    super();
  }

  /** A clock for the nodes on a database, showing PostgreSQL's own time at first. */
  static async on(database: TestDatabase): Promise<MovedClock> {
    await database.query('create table public.test_clock (frozen_at bigint, moved_by bigint not null)');
    await database.query('insert into public.test_clock (moved_by) values (0)');
    return new MovedClock(database);
  }

  /** The store's time. */
  async now(): Promise<number> {
    const [row] = await this.database.query<{ now: string }>(`select ${this.nowSql} as now`);
    return Number(row?.now);
  }

  /** Lets time stand still at an instant. */
  async freezeAt(unixMs: number): Promise<void> {
    await this.database.query('update public.test_clock set frozen_at = $1', [unixMs]);
  }

  /** Lets time go on, moved as it was before it stood still. */
  async release(): Promise<void> {
    await this.database.query('update public.test_clock set frozen_at = null');
  }

  /** Moves time, standing still or not. */
  async moveBy(ms: number): Promise<void> {
    await this.database.query(
      'update public.test_clock set frozen_at = frozen_at + $1::bigint, moved_by = moved_by + $1::bigint',
      [ms],
    );
  }
}
