import { randomUUID } from 'node:crypto';
import { CRON_STORE_STORAGE, type RunOutcome, type Storage } from '../../../lib/storage/index.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';
import { startStoreApp, type StoreApp } from '../../support/store-app.js';
import { journalReads } from './support/index-reads.js';

const RUNNING = 1_000;

function success(runId: string): RunOutcome {
  return {
    runId,
    scheduleId: randomUUID(),
    status: 'succeeded',
    startedAtUnixMs: 0,
    finishedAtUnixMs: 1,
    durationMs: 1,
  };
}

describe('statements about many runs that are known by their ids', () => {
  let database: TestDatabase;
  let app: StoreApp;
  let storage: Storage;

  beforeAll(async () => {
    database = await createTestDatabase();
    app = await startStoreApp({ url: database.url, store: { execute: false } });
    storage = app.app.get<Storage>(CRON_STORE_STORAGE, { strict: false });
  });

  afterAll(async () => {
    await app.close();
    await database.drop();
  });

  /** As a busy node has it: the planner has seen a journal in which nothing ran, and then much runs. */
  async function fill(): Promise<readonly string[]> {
    const insert = (status: string) =>
      database.query<{ id: string }>(
        `insert into crn_run (id, schedule_id, schedule_name, job_name, origin, scheduled_at_unix_ms,
           occurrence_at_unix_ms, claimed_at_unix_ms, status, node_id, heartbeat_at_unix_ms, missed_count, attempt,
           recoveries, idempotency_key, created_at_unix_ms, created_by)
         select gen_random_uuid(), gen_random_uuid(), 'name', 'job', 'manual', 0, 0, 0, $1, 'node', 0, 0, 1, 0, 'key', 0, 'test'
         from generate_series(1, ${RUNNING}) returning id`,
        [status],
      );
    await database.query('truncate crn_run');
    await insert('succeeded');
    await database.query('vacuum analyze crn_run');
    return (await insert('running')).map(({ id }) => id);
  }

  it('write outcomes by reading as many', async () => {
    const ids = await fill();
    const entries = await journalReads(database, storage, async () => {
      const { writtenIds } = await storage.outcomes.write('node', ids.map(success));
      expect(writtenIds.size).toBe(RUNNING);
    });
    expect(entries).toBeGreaterThan(0);
    expect(entries).toBeLessThan(10 * RUNNING);
  });

  it('keep runs alive by reading as many', async () => {
    const ids = await fill();
    const node = { id: 'node', host: 'host', pid: 1, jobNames: [], slots: RUNNING, version: '0' };
    const entries = await journalReads(database, storage, async () => {
      const { aliveIds } = await storage.heartbeats.beat(
        node,
        RUNNING,
        ids.map((id) => ({ id, startedAtUnixMs: 0 })),
      );
      expect(aliveIds.size).toBe(RUNNING);
    });
    expect(entries).toBeGreaterThan(0);
    expect(entries).toBeLessThan(10 * RUNNING);
  });
});
