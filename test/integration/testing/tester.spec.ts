import { setTimeout as delay } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import { jest } from '@jest/globals';
import {
  cron,
  every,
  RUN_ABANDONED_EVENT,
  RUN_FAILED_EVENT,
  RUN_MISSED_EVENT,
  RUN_SKIPPED_EVENT,
  RUN_STARTED_EVENT,
  RUN_SUCCEEDED_EVENT,
  StoreDisabledError,
  type CronStoreOptions,
  type RunAbandonedEvent,
  type RunEvent,
} from '../../../lib/index.js';
import { ConnectionExecutor } from '../../../lib/storage/connections/executor.js';
import { CronStoreTester, ManualStoreClock } from '../../../lib/testing/index.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';
import { startStoreApp, type StoreApp } from '../../support/store-app.js';
import { ClaimCommits } from '../engine/support/claim-commits.js';
import { GatedJob, job } from '../engine/support/jobs.js';
import { NEVER } from '../engine/support/runs.js';

const START = new Date('2030-01-01T00:00:00Z');
/** As an application has it: nothing is made shorter for tests. */
const OPTIONS: CronStoreOptions = {
  pollInterval: '5s',
  heartbeatInterval: '10s',
  abandonedAfter: '1m',
  abortGrace: '5s',
};

/** Lets the journal be ahead of the node: what was written is there a while before the node hears of it. */
function answerLate(): void {
  const { query } = ConnectionExecutor.prototype;
  const commits = new ClaimCommits();
  const spy = jest.spyOn(ConnectionExecutor.prototype, 'query');
  spy.mockImplementation(async function late(this: ConnectionExecutor, text, values, name) {
    const rows = await query.call(this, text, values, name);
    if (commits.isOne(this, text, name) || name?.startsWith('crn_outcomes_')) {
      await delay(100);
    }
    return rows;
  });
}

describe('the tester', () => {
  let database: TestDatabase;
  let clock: ManualStoreClock;
  let node: StoreApp;
  let store: CronStoreTester;
  const slow = new GatedJob('slow');
  const executed: unknown[] = [];
  let failures = 0;

  beforeAll(async () => {
    Logger.overrideLogger(['error']);
    database = await createTestDatabase();
    clock = new ManualStoreClock(START);
    node = await startStoreApp({
      url: database.url,
      clock,
      store: OPTIONS,
      providers: [
        slow.provider,
        job('quick', ({ params }) => executed.push(params)),
        job('shaky', () => {
          failures += 1;
          if (failures === 1) {
            throw new Error('not yet');
          }
        }),
      ],
    });
    store = await CronStoreTester.on(node.app);
  });

  afterEach(async () => {
    slow.gate.open();
    await store.drain();
    slow.gate.close();
    for (const { name } of await node.manager.list()) {
      await node.manager.delete(name);
    }
    executed.length = 0;
  });

  afterAll(async () => {
    await node.close();
    await database.drop();
    Logger.overrideLogger(['error', 'warn', 'log']);
  });

  it('lets time stand still, and pass when it is told to', async () => {
    const before = await clock.now();
    expect(before.getTime()).toBe(START.getTime());
    expect(await clock.advance('1d12h')).toEqual(new Date('2030-01-02T12:00:00Z'));
    expect(await clock.advanceTo(new Date('2030-01-03T00:00:00Z'))).toEqual(await clock.now());
    await expect(clock.advanceTo(START)).rejects.toThrow("before the store's time, 2030-01-03T00:00:00.000Z");
    await expect(clock.advance('3 days')).rejects.toThrow("such as '90s', '36h' or '3d', but is \"3 days\"");
  });

  it('returns how a fire ended, with its own params', async () => {
    await store.schedules.create({ name: 'one', jobName: 'quick', trigger: NEVER, params: { of: 'all' } });
    expect(await store.fireAndWait('one')).toMatchObject({ status: 'succeeded', origin: 'manual' });
    await store.fireAndWait('one', { of: 'this' });
    expect(executed).toEqual([{ of: 'all' }, { of: 'this' }]);
    expect(await store.drain()).toEqual([]);
  });

  it('takes what came due meanwhile for an outage', async () => {
    await store.schedules.create({ name: 'hourly', jobName: 'quick', trigger: every('1h') });
    const now = await clock.advance('3d');
    expect(await store.drain()).toMatchObject([
      { status: 'missed', missedCount: 71 },
      { status: 'succeeded', scheduledAtUnixMs: now.getTime() },
    ]);
  });

  it('lives through time, so that each fire is on time', async () => {
    await store.schedules.create({
      name: 'nightly',
      jobName: 'quick',
      trigger: cron('30 1 * * *', 'Europe/Berlin'),
    });
    // In the last of these nights it is summer time: the same local time, one hour earlier.
    await clock.advanceTo(new Date('2030-03-30T00:00:00Z'));
    await store.drain();
    const runs = await store.runFor('2d');
    expect(runs.map(({ status, scheduledAtUnixMs }) => [status, new Date(scheduledAtUnixMs)])).toEqual([
      ['succeeded', new Date('2030-03-30T00:30:00Z')],
      ['succeeded', new Date('2030-03-31T00:30:00Z')],
      ['succeeded', new Date('2030-03-31T23:30:00Z')],
    ]);
    expect(await clock.now()).toEqual(new Date('2030-04-01T00:00:00Z'));
  });

  it('lets retries come due', async () => {
    const retry = { maxAttempts: 3, backoffMs: 60_000 };
    await store.schedules.create({ name: 'retried', jobName: 'shaky', trigger: NEVER, retry });
    expect(await store.fireAndWait('retried')).toMatchObject({ status: 'failed', attempt: 1 });
    expect(await store.drain()).toEqual([]);
    await clock.advance('1m');
    expect(await store.drain()).toMatchObject([{ status: 'succeeded', origin: 'retry', attempt: 2 }]);
  });

  it('shows an overlap', async () => {
    await store.schedules.create({ name: 'long', jobName: 'slow', trigger: NEVER });
    expect(await store.start('long')).toMatchObject({ status: 'running' });
    expect(await store.fireAndWait('long')).toMatchObject({ status: 'skipped', reason: 'overlap' });
    slow.gate.open();
    expect(await store.drain()).toMatchObject([{ status: 'succeeded' }]);
  });

  it('lets a node die, as production would find out', async () => {
    const events: RunAbandonedEvent[] = [];
    node.events.on(RUN_ABANDONED_EVENT, (event: RunAbandonedEvent) => events.push(event));
    await store.schedules.create({ name: 'fragile', jobName: 'slow', trigger: NEVER, recover: true });
    const { id, idempotencyKey } = await store.start('fragile');

    expect(await store.crash('fragile')).toMatchObject([
      { id, status: 'abandoned', reason: 'heartbeat_lost' },
    ]);
    expect(slow.of('fragile')[0]?.signal.aborted).toBe(true);
    slow.gate.open();
    expect(await store.drain()).toMatchObject([
      { status: 'succeeded', origin: 'recovery', attempt: 2, idempotencyKey, repeatsRunId: id },
    ]);
    expect(events).toMatchObject([{ runId: id, willRecover: true }]);
  });

  it('returns what listeners have heard of, however late the database answers', async () => {
    const told: string[] = [];
    for (const name of [
      RUN_STARTED_EVENT,
      RUN_SUCCEEDED_EVENT,
      RUN_FAILED_EVENT,
      RUN_SKIPPED_EVENT,
      RUN_MISSED_EVENT,
      RUN_ABANDONED_EVENT,
    ]) {
      node.events.on(name, ({ scheduleName }: RunEvent) => told.push(`${scheduleName} ${name}`));
    }
    const heard = () => told.splice(0);
    failures = 0;
    answerLate();
    try {
      await store.schedules.create({ name: 'good', jobName: 'quick', trigger: NEVER });
      await store.schedules.create({ name: 'bad', jobName: 'shaky', trigger: NEVER });
      await store.schedules.create({ name: 'long', jobName: 'slow', trigger: NEVER });
      await store.fireAndWait('good');
      expect(heard()).toEqual([`good ${RUN_STARTED_EVENT}`, `good ${RUN_SUCCEEDED_EVENT}`]);
      await store.fireAndWait('bad');
      expect(heard()).toEqual([`bad ${RUN_STARTED_EVENT}`, `bad ${RUN_FAILED_EVENT}`]);
      await store.start('long');
      expect(heard()).toEqual([`long ${RUN_STARTED_EVENT}`]);
      await store.fireAndWait('long');
      expect(heard()).toEqual([`long ${RUN_SKIPPED_EVENT}`]);
      await store.crash('long');
      expect(heard()).toEqual([`long ${RUN_ABANDONED_EVENT}`]);
      await store.schedules.create({ name: 'hourly', jobName: 'quick', trigger: every('1h') });
      await clock.advance('5h');
      await store.drain();
      expect(heard()).toEqual([
        `hourly ${RUN_STARTED_EVENT}`,
        `hourly ${RUN_MISSED_EVENT}`,
        `hourly ${RUN_SUCCEEDED_EVENT}`,
      ]);
    } finally {
      jest.restoreAllMocks();
    }
  });

  it('says why it waited in vain', async () => {
    await store.schedules.create({ name: 'stuck', jobName: 'slow', trigger: NEVER });
    await store.start('stuck');
    await expect(store.drain({ timeout: 100 })).rejects.toThrow(
      'After 100 ms runs of "stuck" are still running: do their handlers wait for the test?',
    );
    await node.manager.hold({});
    const waiting = store.start('stuck', undefined, { timeout: 100 });
    await expect(waiting).rejects.toThrow('After 100 ms ');
    await node.manager.release({});
    await expect(store.crash('nothing')).rejects.toThrow('No run of "nothing" is running');
    await expect(store.fireAndWait('nothing')).rejects.toThrow('nothing');
  });

  it('keeps nodes alive however far time jumps', async () => {
    await clock.advance('30d');
    await store.schedules.create({ name: 'later', jobName: 'slow', trigger: NEVER });
    const { id } = await store.start('later');
    await clock.advance('30d');
    slow.gate.open();
    expect(await store.drain()).toMatchObject([{ id, status: 'succeeded' }]);
  });

  it('has the same time on every node, and after a restart', async () => {
    const otherClock = new ManualStoreClock();
    const other = await startStoreApp({ url: database.url, clock: otherClock, store: OPTIONS });
    expect(await otherClock.now()).toEqual(await clock.now());
    const now = await otherClock.advance('1h');
    expect(await clock.now()).toEqual(now);
    await other.close();
  });

  it('tells only what happened since it is there', async () => {
    await store.schedules.create({ name: 'known', jobName: 'quick', trigger: NEVER });
    await store.fireAndWait('known');
    const second = await CronStoreTester.on(node.app);
    expect(await second.drain()).toEqual([]);
  });

  it('needs a clock to live through time, and a store at all', async () => {
    const other = await createTestDatabase();
    const realtime = await startStoreApp({ url: other.url });
    const tester = await CronStoreTester.on(realtime.app);
    await expect(tester.runFor('1h')).rejects.toThrow('The store goes by real time');
    await realtime.close();
    const disabled = await startStoreApp({ url: other.url, store: { enabled: false } });
    await expect(CronStoreTester.on(disabled.app)).rejects.toThrow(StoreDisabledError);
    await disabled.close();
    await other.drop();
    expect(() => new ManualStoreClock().nowSql).toThrow('belongs to no store yet');
  });
});
