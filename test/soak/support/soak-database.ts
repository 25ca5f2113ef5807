import { setTimeout as delay } from 'node:timers/promises';
import type { QueryResultRow } from 'pg';
import type { TestDatabase } from '../../support/database.js';
import { createClusterDatabase } from '../../cluster/support/cluster-database.js';

const RETRY_MS = 50;
const LONGEST_OUTAGE_MS = 120_000;

/** Tables whose every change is witnessed, and when. */
const WITNESSED = [
  ['crn_schedule', 'insert or update or delete'],
  ['crn_fire_request', 'insert or delete'],
  ['crn_run', 'insert or update of status or delete'],
  ['crn_hold', 'insert or delete'],
] as const;

/** The database of a soak, by a way that only a restart of the server disturbs. */
export class SoakDatabase {
  private constructor(private readonly database: TestDatabase) {}

  static async create(): Promise<SoakDatabase> {
    const database = await createClusterDatabase();
    await database.query('create table soak_effect (run_id uuid not null)');
    return new SoakDatabase(database);
  }

  get url(): string {
    return this.database.url;
  }

  /**
   * Has the server itself write down what happens to schedules, requests, runs and holds: in the order of their locks, with the
   * transaction in which it happens, and whatever the store's code believes.
   */
  async installWitness(): Promise<void> {
    await this.database.query(`
      create table soak_witness (
        id bigint generated always as identity primary key,
        transaction text not null default pg_current_xact_id()::text,
        subject text not null,
        operation text not null,
        schedule_id uuid,
        old json,
        new json
      );

      create function soak_witness() returns trigger language plpgsql as $$
      declare
        before json := case when tg_op <> 'INSERT' then row_to_json(old) end;
        after json := case when tg_op <> 'DELETE' then row_to_json(new) end;
      begin
        insert into public.soak_witness (subject, operation, schedule_id, old, new)
        values (tg_table_name, lower(tg_op),
          (coalesce(after, before) ->> case tg_table_name when 'crn_schedule' then 'id' else 'schedule_id' end)::uuid,
          before, after);
        return null;
      end $$;
    `);
    for (const [table, operations] of WITNESSED) {
      await this.database.query(
        `create trigger soak_witness after ${operations} on ${table} for each row execute function soak_witness()`,
      );
    }
  }

  /** The rows of one statement; it is repeated until the server answers, so it must be fit for that. */
  async query<Row extends QueryResultRow>(sql: string, values: readonly unknown[] = []): Promise<Row[]> {
    const deadline = AbortSignal.timeout(LONGEST_OUTAGE_MS);
    for (;;) {
      try {
        return await this.database.query<Row>(sql, values);
      } catch (error) {
        if (deadline.aborted || !isOutage(error)) {
          throw error;
        }
        await delay(RETRY_MS);
      }
    }
  }

  /** The store's time. */
  async now(): Promise<number> {
    const [row] = await this.query<{ now: number }>('select cluster_now()::float as now');
    return row?.now ?? Number.NaN;
  }

  /** Moves the store's clock forward. */
  async advanceClock(ms: number): Promise<void> {
    await this.query('update cluster_clock set ahead_ms = ahead_ms + $1', [ms]);
  }

  /** Ends every connection that an application has at this moment; how many there were. */
  async terminateConnections(applicationName: string): Promise<number> {
    const rows = await this.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and application_name = $1`,
      [applicationName],
    );
    return rows.length;
  }

  /** How many connections an application has. */
  async countConnections(applicationName: string): Promise<number> {
    const [row] = await this.query<{ count: number }>(
      'select count(*)::float as count from pg_stat_activity where datname = current_database() and application_name = $1',
      [applicationName],
    );
    return row?.count ?? 0;
  }

  async drop(): Promise<void> {
    await this.database.drop();
  }
}

/** Whether the server is restarting, as seen from a client: it has gone, or says that it is not there yet. */
function isOutage(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return (
    /^(57P0[1-5]|08\w{3}|ECONN\w+|EPIPE)$/.test(code) || /terminated|ended|not queryable/i.test(String(error))
  );
}
