import { every, type Run } from '../../../lib/index.js';
import { createTestDatabase, type TestDatabase, untilTrue } from '../../support/database.js';
import { startStoreApp, type StoreApp } from '../../support/store-app.js';
import { Gate, job } from './support/jobs.js';
import { fire, NEVER, runsOf, untilOver } from './support/runs.js';

/** As many as the pool of the application has, by default. */
const POOL_SIZE = 10;

describe('handlers that hold every connection of the application', () => {
  let database: TestDatabase;
  let node: StoreApp;
  const held: { release(): Promise<void> }[] = [];
  const abandoned = new Gate();

  beforeAll(async () => {
    database = await createTestDatabase();
    node = await startStoreApp({
      url: database.url,
      // A claim that takes a moment is not taken for one of a node that is gone.
      store: { heartbeatInterval: 500, abandonedAfter: 2_500 },
      providers: [
        job('hoard', async () => {
          const runners = Array.from({ length: POOL_SIZE }, () => node.dataSource.createQueryRunner());
          await Promise.all(runners.map((runner) => runner.connect()));
          held.push(...runners);
        }),
        job('work', () => undefined),
        job('stuck', () => abandoned.pass()),
      ],
    });
  });

  afterAll(async () => {
    abandoned.open();
    await Promise.all(held.map((runner) => runner.release()));
    await node.close();
    await database.drop();
  });

  it('keep neither claims, nor heartbeats, nor recovery from going on (scenario 16)', async () => {
    const { manager } = node;
    await manager.create({ name: 'hoarder', jobName: 'hoard', trigger: NEVER });
    await manager.create({ name: 'lost', jobName: 'stuck', trigger: NEVER });
    await manager.triggerNow('lost');
    await untilTrue('a run will be lost', async () => (await runsOf(node, 'lost', 'running')).length === 1);
    expect(await fire(node, 'hoarder')).toMatchObject({ status: 'succeeded' });
    let isServed = false;
    const starved = node.dataSource.query('select 1').then(() => (isServed = true));

    await manager.create({ name: 'others', jobName: 'work', trigger: every('1s') });
    await untilOver(node, 'others', 2);
    await manager.create({ name: 'long', jobName: 'stuck', trigger: NEVER });
    await manager.triggerNow('long');
    const beats = new Set<Run['heartbeatAtUnixMs']>();
    await untilTrue('heartbeats go on', async () => {
      (await runsOf(node, 'long')).forEach((run) => beats.add(run.heartbeatAtUnixMs));
      return beats.size > 3;
    });
    await database.query(
      `update crn_run set node_id = 'dead', heartbeat_at_unix_ms = 0 where schedule_name = 'lost'`,
    );
    expect(await untilOver(node, 'lost')).toMatchObject([{ status: 'abandoned', nodeId: 'dead' }]);
    expect(isServed).toBe(false);
    await Promise.all(held.splice(0).map((runner) => runner.release()));
    await starved;
  });
});
