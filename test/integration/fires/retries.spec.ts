import {
  RUN_FAILED_EVENT,
  type RunFailedEvent,
  type ScheduleSpec,
  ScheduleInvalidError,
} from '../../../lib/index.js';
import { createTestDatabase, type TestDatabase, untilTrue } from '../../support/database.js';
import { MovedClock } from '../../support/moved-clock.js';
import { startStoreApp, type StoreApp } from '../../support/store-app.js';
import { GatedJob, job } from '../engine/support/jobs.js';
import { NEVER, runsOf, untilOver } from '../engine/support/runs.js';

const START = Date.parse('2030-03-01T00:00:00Z');

describe('retries', () => {
  let database: TestDatabase;
  let clock: MovedClock;
  let node: StoreApp;
  const gated = new GatedJob('gated');
  const failures: RunFailedEvent[] = [];
  let failing = true;

  beforeAll(async () => {
    database = await createTestDatabase();
    clock = await MovedClock.on(database);
    await clock.freezeAt(START);
    node = await startStoreApp({
      url: database.url,
      clock,
      providers: [
        gated.provider,
        job('flaky', () => {
          if (failing) {
            throw new Error('not yet');
          }
        }),
      ],
    });
    node.events.on(RUN_FAILED_EVENT, (event: RunFailedEvent) => failures.push(event));
  });

  afterAll(async () => {
    gated.gate.open();
    await node.close();
    await database.drop();
  });

  beforeEach(() => {
    failing = true;
    failures.length = 0;
  });

  afterEach(async () => {
    for (const { name } of await node.manager.list()) {
      await node.manager.delete(name);
    }
  });

  async function create(name: string, spec: Partial<ScheduleSpec> = {}): Promise<void> {
    await node.manager.create({
      name,
      jobName: 'flaky',
      trigger: NEVER,
      retry: { maxAttempts: 3, backoffMs: 10_000, factor: 6 },
      ...spec,
    });
  }

  it('tries again after the backoff, with the same logical time, key and params, up to the last attempt', async () => {
    await create('three');
    await node.manager.triggerNow('three', { params: { day: 'today' } });
    await untilOver(node, 'three', 1);
    expect(await node.engine.runOnce()).toEqual({ started: 0, journaled: 0 });

    await clock.moveBy(10_000);
    await untilOver(node, 'three', 2);
    expect(await node.engine.runOnce()).toEqual({ started: 0, journaled: 0 });
    await clock.moveBy(60_000);
    const runs = await untilOver(node, 'three', 3);

    expect(runs).toMatchObject([
      { origin: 'manual', attempt: 1, status: 'failed', reason: 'handler_error' },
      { origin: 'retry', attempt: 2, status: 'failed', repeatsRunId: runs[0]?.id },
      { origin: 'retry', attempt: 3, status: 'failed', repeatsRunId: runs[1]?.id },
    ]);
    expect(new Set(runs.map((run) => run.idempotencyKey)).size).toBe(1);
    expect(new Set(runs.map((run) => run.scheduledAtUnixMs)).size).toBe(1);
    await untilTrue('every failure was announced', () => failures.length === 3);
    expect(failures.map(({ willRetry }) => willRetry)).toEqual([true, true, false]);
    await clock.moveBy(86_400_000);
    expect(await node.engine.runOnce()).toEqual({ started: 0, journaled: 0 });
  });

  it('ends with a success', async () => {
    await create('healing');
    await node.manager.triggerNow('healing');
    await untilOver(node, 'healing', 1);
    failing = false;
    await clock.moveBy(10_000);

    expect(await untilOver(node, 'healing', 2)).toMatchObject([
      { status: 'failed' },
      { status: 'succeeded' },
    ]);
  });

  it('goes on while the schedule is paused, and not while its job is held', async () => {
    await create('paused');
    await node.manager.triggerNow('paused');
    await untilOver(node, 'paused', 1);
    await node.manager.pause('paused');
    await node.manager.hold({ jobName: 'flaky' });
    await clock.moveBy(10_000);
    expect(await node.engine.runOnce()).toEqual({ started: 0, journaled: 0 });

    await node.manager.release({ jobName: 'flaky' });
    expect(await untilOver(node, 'paused', 2)).toMatchObject([{ attempt: 1 }, { attempt: 2 }]);
  });

  it('waits for the active run under forbid', async () => {
    await create('exclusive');
    await node.manager.triggerNow('exclusive');
    await untilOver(node, 'exclusive', 1);
    await node.manager.patch('exclusive', { jobName: 'gated' });
    await node.manager.triggerNow('exclusive');
    await untilTrue('the manual fire runs', () => gated.of('exclusive').length === 1);
    await clock.moveBy(10_000);
    expect(await node.engine.runOnce()).toEqual({ started: 0, journaled: 0 });

    gated.gate.open();
    expect(await untilOver(node, 'exclusive', 3)).toMatchObject([
      { origin: 'manual', status: 'failed' },
      { origin: 'manual', status: 'succeeded' },
      { origin: 'retry', status: 'succeeded' },
    ]);
  });

  it('is forgotten with its schedule', async () => {
    await create('deleted');
    await node.manager.triggerNow('deleted');
    await untilOver(node, 'deleted', 1);
    await node.manager.delete('deleted');

    expect(await database.query('select 1 from crn_fire_request')).toEqual([]);
  });

  it('is taken away by a patch', async () => {
    await create('once');
    expect(await node.manager.patch('once', { retry: null })).not.toHaveProperty('retry');
    await node.manager.triggerNow('once');
    await untilOver(node, 'once', 1);
    await clock.moveBy(86_400_000);

    expect(await node.engine.runOnce()).toEqual({ started: 0, journaled: 0 });
    expect(await runsOf(node, 'once')).toHaveLength(1);
  });

  it('refuses a policy that makes no sense, and changes nothing', async () => {
    await create('strict');
    await expect(node.manager.patch('strict', { retry: { maxAttempts: 0 } })).rejects.toThrow(
      ScheduleInvalidError,
    );
    expect((await node.manager.get('strict')).schedule).toMatchObject({
      version: 1,
      retry: { maxAttempts: 3 },
    });
  });
});
