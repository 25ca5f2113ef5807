import type { ScheduleManager } from '../../../lib/index.js';
import { ClaimCandidatesStore } from '../../../lib/storage/claims/claim-candidates.store.js';
import type { Executor } from '../../../lib/storage/connections/executor.js';
import { StoreSchema } from '../../../lib/storage/schema/store-schema.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';
import { startStoreApp, type StoreApp } from '../../support/store-app.js';
import { job } from '../engine/support/jobs.js';

const NOW = Date.UTC(2030, 0, 1);

/** What else can happen between two statements of a claim. */
type Interference = (manager: ScheduleManager) => Promise<unknown>;

describe('the candidates of a claim', () => {
  let database: TestDatabase;
  let node: StoreApp;

  beforeAll(async () => {
    database = await createTestDatabase();
    node = await startStoreApp({
      url: database.url,
      store: { execute: false },
      providers: [job('work', () => undefined)],
    });
  });

  afterAll(async () => {
    await node.close();
    await database.drop();
  });

  it.each([1, 2])(
    'never have a request without the due cursor that goes before it, whatever commits before statement %i',
    async (statement) => {
      const name = `resumed before statement ${statement}`;
      const { id } = await node.manager.create({
        name,
        jobName: 'work',
        trigger: { kind: 'interval', everyMs: 60_000 },
      });
      await node.manager.triggerNow(name);
      await node.manager.pause(name);
      await database.query('update crn_schedule set next_fire_at_unix_ms = $2 where id = $1', [id, NOW]);
      await database.query(
        `update crn_fire_request set scheduled_at_unix_ms = $2, due_at_unix_ms = $2 where schedule_id = $1`,
        [id, NOW],
      );
      const kinds = await lockWith(statement, (manager) => manager.resume(name));
      expect(kinds).toContain('occurrence');
    },
  );

  async function lockWith(statement: number, interfere: Interference): Promise<string[]> {
    const runner = node.dataSource.createQueryRunner();
    await runner.startTransaction();
    try {
      let count = 0;
      const executor: Executor = {
        query: async (text, values = []) => {
          if (count === statement) {
            await interfere(node.manager);
          }
          count += 1;
          return runner.query(text, [...values]);
        },
      };
      const store = new ClaimCandidatesStore(new StoreSchema('public'));
      const candidates = await store.lock(
        executor,
        { has_requests: true, has_backfills: true },
        {
          jobNames: ['work'],
          nowUnixMs: NOW,
          misfireThresholdMs: 60_000,
          limit: 10,
        },
      );
      return candidates.map(({ kind }) => kind);
    } finally {
      await runner.rollbackTransaction();
      await runner.release();
    }
  }
});
