import { setImmediate as nextTurn } from 'node:timers/promises';
import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { DataSource } from 'typeorm';
import {
  CronStoreEngine,
  type Execution,
  JobHandlerRegistry,
  RunAbortedError,
  type ScheduleSpec,
} from '../../../lib/index.js';
import { createTestDatabase, type TestDatabase, untilTrue } from '../../support/database.js';
import { startStoreApp, type StoreApp, type StoreAppOptions } from '../../support/store-app.js';
import { Gate, GatedJob, job } from './support/jobs.js';
import { NEVER, untilFireIsOver } from './support/runs.js';

/** Idle connections close by themselves after ten seconds. */
const SHORTER_THAN_CONNECTIONS_IDLE = { timeoutMs: 8_000 };

interface RunRow {
  readonly status: string;
  readonly error: string | null;
  readonly attempt: number;
  readonly origin: string;
}

/** Fires a new schedule of a job, and waits until its handler runs. */
async function fireAndForget(
  node: StoreApp,
  jobName: string,
  spec: Partial<ScheduleSpec> = {},
): Promise<void> {
  await node.manager.create({ name: jobName, jobName, trigger: NEVER, ...spec });
  await node.manager.triggerNow(jobName);
  await untilTrue('the run has a slot', () => node.engine.status().running > 0);
  // Its handler begins in the turn after that.
  await nextTurn();
}

describe('shutdown', () => {
  let database: TestDatabase;
  const open: StoreApp[] = [];

  beforeAll(async () => {
    database = await createTestDatabase();
    const migrated = await startStoreApp({ url: database.url });
    await migrated.close();
  });

  afterEach(async () => {
    // Those of a test that failed are open yet.
    await Promise.all(open.splice(0).map((node) => node.close()));
    await database.empty('crn_schedule', 'crn_fire_request', 'crn_run');
  });

  afterAll(async () => {
    await database.drop();
  });

  async function start(given: Omit<StoreAppOptions, 'url'>): Promise<StoreApp> {
    const node = await startStoreApp({ url: database.url, ...given });
    open.push(node);
    return node;
  }

  async function journal(): Promise<RunRow[]> {
    return database.query<RunRow>('select status, error, attempt, origin from crn_run order by id');
  }

  async function requests(): Promise<object[]> {
    return database.query('select origin, attempt, recoveries from crn_fire_request');
  }

  it('waits for running handlers, and claims nothing meanwhile', async () => {
    const work = new GatedJob('work');
    const node = await start({ providers: [work.provider] });
    await fireAndForget(node, 'work');
    await node.manager.create({ name: 'later', jobName: 'work', trigger: NEVER });

    const drained = node.engine.drain();
    expect(node.engine.status()).toMatchObject({ state: 'stopping', running: 1 });
    await node.manager.triggerNow('later');
    expect(await node.engine.runOnce()).toEqual({ started: 0, journaled: 0 });
    expect(work.executions[0]?.signal.aborted).toBe(false);

    work.gate.open();
    await drained;
    expect(await journal()).toMatchObject([{ status: 'succeeded' }]);
    expect(node.engine.status()).toMatchObject({ running: 0, detached: 0 });

    // Drained once and for all, and harmless again and again.
    await Promise.all([node.engine.drain(), node.engine.drain()]);
    await node.close();
    expect(node.engine.status().state).toBe('stopped');
    expect(work.executions).toHaveLength(1);
    expect(await requests()).toMatchObject([{ origin: 'manual' }]);
  });

  it('keeps the heartbeats of running handlers alive to the end, so that no other node takes them over', async () => {
    const work = new GatedJob('work');
    const timing = { heartbeatInterval: 500, abandonedAfter: 3_000, shutdownTimeout: '30s' };
    const [leaving, staying] = await Promise.all([
      start({ store: timing, providers: [work.provider] }),
      start({ store: timing }),
    ]);
    await fireAndForget(leaving, 'work', { recover: true });
    const drained = leaving.engine.drain();
    const beats = new Set<string>();
    await untilTrue('heartbeats went on well beyond abandonedAfter', async () => {
      const [row] = await database.query<{ beat: string }>(
        'select heartbeat_at_unix_ms::text as beat from crn_run',
      );
      beats.add(row?.beat ?? '');
      const times = [...beats].map(Number);
      return Math.max(...times) - Math.min(...times) > 7_000;
    });
    work.gate.open();
    await drained;
    expect(await journal()).toMatchObject([{ status: 'succeeded' }]);
    await Promise.all([leaving.close(), staying.close()]);
  });

  it.each([
    [true, [{ origin: 'recovery', attempt: 2, recoveries: 0 }]],
    [false, []],
  ])('aborts and cancels what does not end in time; recover: %s', async (recover, expected) => {
    const seen: Execution[] = [];
    const node = await start({
      store: { shutdownTimeout: 50, abortGrace: '1m' },
      providers: [
        job('work', async (execution) => {
          seen.push(execution);
          await new Promise((_resolve, reject) => {
            execution.signal.addEventListener('abort', () => reject(new Error('interrupted')));
          });
        }),
      ],
    });
    await fireAndForget(node, 'work', { recover });
    await node.close();
    expect(seen[0]?.signal.reason).toBeInstanceOf(RunAbortedError);
    expect(await journal()).toMatchObject([
      { status: 'canceled', error: 'The run was interrupted by the shutdown of its node.' },
    ]);
    expect(await requests()).toEqual(expected);
  });

  it('fires again elsewhere what it canceled, at the same logical time and with the same key', async () => {
    const stubborn = new GatedJob('work');
    const node = await start({
      store: { shutdownTimeout: 0, abortGrace: 0 },
      providers: [stubborn.provider],
    });
    await fireAndForget(node, 'work', { recover: true });
    await node.close();

    const next = new GatedJob('work');
    next.gate.open();
    const other = await start({ providers: [next.provider] });
    await untilTrue('it is fired again', () => next.executions.length === 1);
    expect(next.executions[0]).toMatchObject({
      origin: 'recovery',
      attempt: 2,
      scheduledAtUnixMs: stubborn.executions[0]?.scheduledAtUnixMs,
      idempotencyKey: stubborn.executions[0]?.idempotencyKey,
    });
    stubborn.gate.open();
    await other.close();
    expect((await journal()).map(({ status }) => status)).toEqual(['canceled', 'succeeded']);
  });

  it('journals as succeeded what completes although it was aborted, and owes it nothing', async () => {
    const node = await start({
      store: { shutdownTimeout: 50, abortGrace: '1m' },
      providers: [
        job(
          'work',
          ({ signal }) => new Promise<void>((done) => signal.addEventListener('abort', () => done())),
        ),
      ],
    });
    await fireAndForget(node, 'work', { recover: true });
    await node.close();
    expect(await journal()).toMatchObject([{ status: 'succeeded', error: null }]);
    expect(await requests()).toEqual([]);
  });

  it('lets a timeout outrank it', async () => {
    const node = await start({
      store: { shutdownTimeout: 0, abortGrace: '1m' },
      providers: [
        job('work', async ({ signal }) => {
          await new Promise((aborted) => signal.addEventListener('abort', aborted));
          await new Promise((late) => setTimeout(late, 400));
          throw new Error('too late');
        }),
      ],
    });
    await fireAndForget(node, 'work', { recover: true, timeout: 300 });
    await node.close();
    expect(await journal()).toMatchObject([{ status: 'failed', error: 'The run timed out after 300 ms.' }]);
    expect(await requests()).toEqual([]);
  });

  it('does not wait beyond the grace for a handler that never settles', async () => {
    const never = new Gate();
    const node = await start({
      store: { shutdownTimeout: 10, abortGrace: 10 },
      providers: [job('work', () => never.pass())],
    });
    await fireAndForget(node, 'work');
    await node.close();
    expect(await journal()).toMatchObject([{ status: 'canceled' }]);
    expect(node.engine.status()).toMatchObject({ state: 'stopped', running: 0, detached: 1 });
    never.open();
  });

  it('leaves nothing behind: neither its node nor a connection', async () => {
    const node = await start({ providers: [job('work', () => undefined)] });
    const { nodeId } = node.engine.status();
    await untilTrue('the node has announced itself', async () => {
      const rows = await database.query('select from crn_node where id = $1', [nodeId]);
      return rows.length === 1;
    });
    await node.close();
    expect(await database.query('select from crn_node where id = $1', [nodeId])).toEqual([]);
    await untilNobodyIsConnected();
  });

  it('closes its connections also when it cannot say good-bye', async () => {
    Logger.overrideLogger(false);
    const node = await start({ providers: [job('work', () => undefined)] });
    await database.query('alter table crn_node rename to crn_node_away');
    try {
      await node.close();
      await untilNobodyIsConnected();
    } finally {
      await database.query('alter table crn_node_away rename to crn_node');
      Logger.overrideLogger(['error', 'warn', 'log']);
    }
  });

  it('does not start a node that was drained before it started', async () => {
    @Injectable()
    class StopsDuringBoot implements OnModuleInit {
      constructor(
        private readonly engine: CronStoreEngine,
        private readonly registry: JobHandlerRegistry,
      ) {}

      async onModuleInit(): Promise<void> {
        this.registry.register({ name: 'work', execute: () => undefined });
        await this.engine.drain();
      }
    }
    const node = await start({ providers: [StopsDuringBoot] });
    expect(node.engine.status()).toMatchObject({ state: 'stopping', running: 0 });
    expect(node.engine.status()).not.toHaveProperty('nodeId');
    expect(await node.engine.runOnce()).toEqual({ started: 0, journaled: 0 });
    await node.close();
    await untilNobodyIsConnected();
  });

  it('can be closed twice', async () => {
    const node = await start({ providers: [job('work', () => undefined)] });
    await node.close();
    await node.close();
    expect(node.engine.status().state).toBe('stopped');
  });

  it('lets handlers use what other modules own until they have ended, when drained before', async () => {
    const work = new Gate();
    const node = await start({
      providers: [
        job('work', async () => {
          await work.pass();
          await node.app.get(DataSource).query('select 1');
        }),
      ],
    });
    await fireAndForget(node, 'work');
    const [{ requestId }] = [await node.manager.triggerNow('work')];
    await untilFireIsOver(node, 'work', requestId);
    const drained = node.engine.drain();
    work.open();
    await drained;
    await node.close();
    expect((await journal()).map(({ status }) => status).toSorted()).toEqual(['skipped', 'succeeded']);
  });

  /** But for the test itself. */
  async function untilNobodyIsConnected(): Promise<void> {
    await untilTrue(
      'nobody else is connected',
      async () => {
        const others = await database.query(
          `select from pg_stat_activity
         where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend'`,
        );
        return others.length === 0;
      },
      SHORTER_THAN_CONNECTIONS_IDLE,
    );
  }
});
