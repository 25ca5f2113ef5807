import { Logger } from '@nestjs/common';
import { every } from '../../../lib/index.js';
import { CRON_STORE_STORAGE, type Storage } from '../../../lib/storage/index.js';
import { createTestDatabase, type TestDatabase, untilTrue } from '../../support/database.js';
import { startStoreApp, type StoreApp } from '../../support/store-app.js';
import { job } from './support/jobs.js';
import { fire, NEVER, runsOf, untilOver } from './support/runs.js';

/** Prepared statements on all of a node's connections. */
async function namedStatements(node: StoreApp): Promise<number> {
  const { connections } = node.app.get<Storage>(CRON_STORE_STORAGE);
  const counts = await Promise.all(
    (['engine', 'engine', 'engine', 'heartbeat', 'manager', 'manager'] as const).map((purpose) =>
      connections.query<{ count: number }>(
        purpose,
        'select count(*) as count, pg_sleep(0.05) from pg_prepared_statements',
      ),
    ),
  );
  return counts.reduce((sum, [row]) => sum + (row?.count ?? 0), 0);
}

describe('wake-ups', () => {
  let database: TestDatabase;
  const open: StoreApp[] = [];

  beforeAll(async () => {
    database = await createTestDatabase();
  });

  afterEach(async () => {
    const [node] = open;
    for (const { name } of (await node?.manager.list()) ?? []) {
      await node?.manager.delete(name);
    }
    await Promise.all(open.splice(0).map((each) => each.close()));
  });

  afterAll(async () => {
    await database.drop();
  });

  async function start(given: Omit<Parameters<typeof startStoreApp>[0], 'url'>): Promise<StoreApp> {
    const node = await startStoreApp({ url: database.url, ...given });
    open.push(node);
    return node;
  }

  /** A node that manages and executes nothing that others need, and one that executes and would sleep for an hour. */
  async function startPair(): Promise<{ readonly manager: StoreApp; readonly worker: StoreApp }> {
    const manager = await start({ store: { pollInterval: '1h' } });
    const worker = await start({ store: { pollInterval: '1h' }, providers: [job('work', () => undefined)] });
    await untilTrue('both listen', async () => (await listeners()).length === 2);
    return { manager, worker };
  }

  async function listeners(): Promise<number[]> {
    const rows = await database.query<{ pid: number }>(
      `select pid from pg_stat_activity
       where datname = current_database() and (query like 'listen %' or query = 'select 1')`,
    );
    return rows.map(({ pid }) => pid);
  }

  it('let a node fire at once what another one requests', async () => {
    const { manager, worker } = await startPair();
    await worker.manager.create({ name: 'remote', jobName: 'work', trigger: NEVER });
    const run = await fire(manager, 'remote');
    expect(run).toMatchObject({ status: 'succeeded', nodeId: worker.engine.status().nodeId });
  });

  it('let a node sleep until what another one schedules', async () => {
    const sleeper = await start({ store: { pollInterval: '1h' }, providers: [job('work', () => undefined)] });
    const busy = await start({
      store: { pollInterval: '1h', maxConcurrent: 1 },
      providers: [job('work', () => new Promise(() => undefined))],
    });
    await busy.manager.create({ name: 'blocker', jobName: 'work', trigger: NEVER });
    await untilTrue('both listen', async () => (await listeners()).length === 2);
    await busy.manager.create({ name: 'scheduled', jobName: 'work', trigger: every('1s') });
    await untilOver(sleeper, 'scheduled', 2);
  });

  it('follow a change of timing at once', async () => {
    const { manager, worker } = await startPair();
    await worker.manager.create({ name: 'retimed', jobName: 'work', trigger: every('1h') });
    await manager.manager.patch('retimed', { trigger: every('1s') });
    await untilOver(worker, 'retimed', 2);
  });

  it('arrive when the transaction of the change commits, and not when it is rolled back', async () => {
    const { manager, worker } = await startPair();
    await worker.manager.create({ name: 'in a transaction', jobName: 'work', trigger: NEVER });
    await expect(
      manager.dataSource.transaction(async (transaction) => {
        await manager.manager.triggerNow('in a transaction', { transaction });
        throw new Error('changed my mind');
      }),
    ).rejects.toThrow('changed my mind');
    await manager.dataSource.transaction(async (transaction) => {
      await manager.manager.triggerNow('in a transaction', { transaction });
    });
    await untilOver(worker, 'in a transaction');
    await worker.engine.runOnce();
    expect(await runsOf(worker, 'in a transaction')).toHaveLength(1);
  });

  it('wake a node for everything where another version sends a word that this one does not know', async () => {
    const { worker } = await startPair();
    await worker.manager.create({ name: 'of another version', jobName: 'work', trigger: NEVER });
    const { schema } = worker.app.get<Storage>(CRON_STORE_STORAGE);
    await worker.engine.runOnce();
    await database.query(
      `update crn_schedule set next_fire_at_unix_ms = 0 where name = 'of another version'`,
    );
    await database.query('select pg_notify($1, $2)', [schema.channel, 'a word of tomorrow']);
    await untilOver(worker, 'of another version');
  });

  it('come again after the connection that listens was cut, and what was lost meanwhile is made up for', async () => {
    Logger.overrideLogger(false);
    const { manager, worker } = await startPair();
    await worker.manager.create({ name: 'cut off', jobName: 'work', trigger: NEVER });
    for (let round = 0; round < 3; round += 1) {
      const cut = await listeners();
      await database.query('select pg_terminate_backend(pid) from unnest($1::int[]) as cut (pid)', [cut]);
      // Whether this is heard by the new connection or made up for when it listens: it fires at once.
      await fire(manager, 'cut off');
      await untilTrue('both listen again', async () => {
        const pids = await listeners();
        return pids.length === 2 && pids.every((pid) => !cut.includes(pid));
      });
    }
    expect(await fire(manager, 'cut off')).toMatchObject({ status: 'succeeded' });
    expect(worker.engine.status().state).toBe('running');
    Logger.overrideLogger(['error', 'warn', 'log']);
  });

  it('hold one connection for a node, and none after it has ended', async () => {
    const node = await start({});
    await untilTrue('it listens', async () => (await listeners()).length === 1);
    await node.close();
    open.splice(0);
    await untilTrue('nobody listens', async () => (await listeners()).length === 0);
  });

  describe('turned off', () => {
    it.each([
      [false, 0],
      [true, expect.any(Number)],
    ])('leave polling to serve, without a connection that listens (listen: %s)', async (listen, expected) => {
      const options = { listen, pollInterval: 50 };
      const manager = await start({ store: options });
      const worker = await start({ store: options, providers: [job('work', () => undefined)] });
      await worker.manager.create({ name: 'polled', jobName: 'work', trigger: NEVER });
      expect(await fire(manager, 'polled')).toMatchObject({ status: 'succeeded' });
      const listening = listen ? 2 : 0;
      await untilTrue('those listen that are to', async () => (await listeners()).length >= listening);
      expect(await listeners()).toHaveLength(listening);
      // The proxy that this is for cannot keep prepared statements.
      const named = await namedStatements(worker);
      expect(named).toEqual(expected);
      expect(named > 0).toBe(listen);
    });
  });
});
