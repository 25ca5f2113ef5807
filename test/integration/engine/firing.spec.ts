import { type Execution, every, JobHandler } from '../../../lib/index.js';
import { createTestDatabase, type TestDatabase, untilTrue } from '../../support/database.js';
import { startStoreApp, type StoreApp } from '../../support/store-app.js';

describe('firing', () => {
  let database: TestDatabase;
  let node: StoreApp;
  const executions: Execution[] = [];

  @JobHandler({ name: 'tick', defaultSchedule: { trigger: every('1s'), params: { a: 1 } } })
  class TickHandler implements JobHandler {
    execute(execution: Execution) {
      executions.push(execution);
    }
  }

  beforeAll(async () => {
    database = await createTestDatabase();
    node = await startStoreApp({ url: database.url, providers: [TickHandler] });
  });

  afterAll(async () => {
    await node.close();
    await database.drop();
  });

  it('fires a seeded schedule once per occurrence and journals it', async () => {
    await untilTrue('three executions', () => executions.length >= 3);
    await untilTrue(
      'three journaled',
      async () => (await node.manager.listRuns({ statuses: ['succeeded'] })).length >= 3,
    );
    const runs = await node.manager.listRuns({ scheduleName: 'tick' });
    expect(new Set(runs.map((run) => run.scheduledAtUnixMs)).size).toBe(runs.length);
  });
});
