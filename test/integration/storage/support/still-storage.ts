import { randomUUID } from 'node:crypto';
import { CRON_STORE_STORAGE, insertRuns, type NewRun, type Storage } from '../../../../lib/storage/index.js';
import { createTestDatabase, type TestDatabase } from '../../../support/database.js';
import { startStoreApp, type StoreApp } from '../../../support/store-app.js';
import { job } from '../../engine/support/jobs.js';
import { NEVER } from '../../engine/support/runs.js';

/** A store whose statements a test makes one by one: nobody else executes, sweeps or heartbeats. */
export class StillStorage {
  private constructor(
    readonly database: TestDatabase,
    readonly app: StoreApp,
  ) {}

  static async start(): Promise<StillStorage> {
    const database = await createTestDatabase();
    const app = await startStoreApp({
      url: database.url,
      store: { execute: false },
      providers: [job('work', () => undefined)],
    });
    return new StillStorage(database, app);
  }

  get storage(): Storage {
    return this.app.app.get<Storage>(CRON_STORE_STORAGE);
  }

  /** Creates a schedule that never fires by itself, and has its abandoned runs recovered. @returns its id. */
  async createSchedule(name: string): Promise<string> {
    const { id } = await this.app.manager.create({ name, jobName: 'work', trigger: NEVER, recover: true });
    return id;
  }

  /** Journals a running run of the node `node`, whose heartbeat was at 1,000. @returns its id. */
  async journal(run: Partial<NewRun> & { readonly scheduleId: string }): Promise<string> {
    const id = randomUUID();
    await this.storage.connections.transaction('engine', ({ executor }) =>
      insertRuns(executor, this.storage.schema, [{ ...RUNNING, id, ...run }]),
    );
    return id;
  }

  /** The ids of the runs in the journal among these. */
  async journaled(ids: readonly string[]): Promise<string[]> {
    const rows = await this.database.query<{ id: string }>('select id from crn_run where id = any($1)', [
      ids,
    ]);
    return rows.map(({ id }) => id);
  }

  /** What the journal has of a run. */
  async run(id: string): Promise<{ readonly status: string; readonly beat: number } | undefined> {
    const [row] = await this.database.query<{ status: string; beat: number }>(
      'select status, heartbeat_at_unix_ms::float as beat from crn_run where id = $1',
      [id],
    );
    return row;
  }

  /** Which runs have a request for their repetition. */
  async repeatedIds(): Promise<string[]> {
    const rows = await this.database.query<{ id: string }>(
      'select repeats_run_id as id from crn_fire_request where repeats_run_id is not null',
    );
    return rows.map(({ id }) => id);
  }

  async close(): Promise<void> {
    await this.app.close();
    await this.database.drop();
  }
}

const RUNNING: Omit<NewRun, 'id' | 'scheduleId'> = {
  scheduleName: 'schedule',
  jobName: 'work',
  origin: 'manual',
  scheduledAtUnixMs: 1_000,
  claimedAtUnixMs: 1_000,
  status: 'running',
  nodeId: 'node',
  heartbeatAtUnixMs: 1_000,
  missedCount: 0,
  attempt: 1,
  recoveries: 0,
  idempotencyKey: 'key',
  createdAtUnixMs: 1_000,
  createdBy: 'system',
};
