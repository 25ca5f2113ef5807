import { Logger } from '@nestjs/common';
import { every } from '../../../lib/index.js';
import { createTestDatabase, type TestDatabase, untilTrue } from '../../support/database.js';
import { MovedClock } from '../../support/moved-clock.js';
import { startStoreApp, type StoreApp } from '../../support/store-app.js';
import { GatedJob, job } from '../engine/support/jobs.js';
import { fire, NEVER, runsOf, untilOver } from '../engine/support/runs.js';
import { startTelemetry, type Series, type Telemetry } from './support/telemetry.js';

const HOUR_MS = 3_600_000;

describe('metrics', () => {
  let telemetry: Telemetry;
  let database: TestDatabase;
  let clock: MovedClock;
  let node: StoreApp;
  const slow = new GatedJob('slow');

  beforeAll(async () => {
    Logger.overrideLogger(['fatal']);
    telemetry = startTelemetry();
    database = await createTestDatabase();
    clock = await MovedClock.on(database);
    node = await startStoreApp({
      url: database.url,
      clock,
      store: { maxConcurrent: 4 },
      providers: [
        slow.provider,
        job('good', () => undefined),
        job('paused', () => undefined),
        job('held', () => undefined),
        job('bad', () => {
          throw new TypeError('the card number is 4111');
        }),
      ],
    });
  });

  afterAll(async () => {
    slow.gate.open();
    await node.close();
    await telemetry.shutdown();
    await database.drop();
    Logger.overrideLogger(['error', 'warn', 'log']);
  });

  /** The value of the series of a metric that has these attributes, once it was recorded. */
  async function valueOf(name: string, attributes: Series['attributes']): Promise<Series['value']> {
    let matching: readonly Series[] = [];
    await untilTrue(`${name} is recorded`, async () => {
      matching = (await telemetry.collect(name)).filter((series) =>
        Object.entries(attributes).every(([key, value]) => series.attributes[key] === value),
      );
      return matching.length > 0;
    });
    const [only, ...others] = matching;
    expect(others).toEqual([]);
    return only?.value ?? 0;
  }

  /** Waits until something was counted, which comes after it is in the journal. @returns how much it is by then. */
  async function countOf(name: string, attributes: Series['attributes']): Promise<Series['value']> {
    let count: Series['value'] = 0;
    await untilTrue(`${name} is counted`, async () => {
      count = await valueOf(name, attributes);
      return count !== 0;
    });
    return count;
  }

  const slot = (state: string) => valueOf('cron_store.slots', { 'cron_store.slot.state': state });
  const alive = () => valueOf('cron_store.nodes', {});

  it('count from zero on what alerts watch', async () => {
    const attributes = { 'cron_store.job.name': 'bad' };
    const ends = (await telemetry.collect('cron_store.runs'))
      .filter((series) => series.attributes['cron_store.job.name'] === 'bad')
      .map(({ attributes: end, value }) => [
        end['cron_store.run.status'],
        end['cron_store.run.reason'],
        value,
      ]);
    expect(ends).toEqual([
      ['succeeded', undefined, 0],
      ['failed', 'handler_error', 0],
      ['failed', 'timeout', 0],
      ['abandoned', 'heartbeat_lost', 0],
    ]);
    expect(await valueOf('cron_store.missed_occurrences', attributes)).toBe(0);
  });

  it('count and measure a run that succeeded', async () => {
    await node.manager.create({ name: 'good', jobName: 'good', trigger: NEVER });
    const run = await fire(node, 'good');

    const attributes = { 'cron_store.job.name': 'good', 'cron_store.schema': 'public' };
    expect(await countOf('cron_store.runs', { ...attributes, 'cron_store.run.status': 'succeeded' })).toBe(1);
    expect(await valueOf('cron_store.run.duration', attributes)).toMatchObject({
      count: 1,
      sum: (run.durationMs ?? -1) / 1_000,
    });
    expect(await valueOf('cron_store.run.lateness', attributes)).toMatchObject({ count: 1 });
  });

  it('count a run that failed by its reason, and nothing of what it says', async () => {
    await node.manager.create({ name: 'bad', jobName: 'bad', trigger: NEVER });
    await fire(node, 'bad');

    const attributes = { 'cron_store.job.name': 'bad', 'cron_store.run.reason': 'handler_error' };
    expect(await countOf('cron_store.runs', attributes)).toBe(1);
    expect(await valueOf('cron_store.run.duration', attributes)).toMatchObject({ count: 1 });
    expect(JSON.stringify(await telemetry.collect('cron_store.runs'))).not.toContain('4111');
  });

  it('count missed occurrences exactly', async () => {
    const trigger = every(HOUR_MS);
    await node.manager.create({ name: 'hourly', jobName: 'good', trigger, misfirePolicy: 'skip' });
    await clock.moveBy(5 * HOUR_MS + 60_000 * 30);
    const [run] = await untilOver(node, 'hourly');

    expect(run).toMatchObject({ status: 'missed', missedCount: 5 });
    expect(await countOf('cron_store.missed_occurrences', { 'cron_store.job.name': 'good' })).toBe(5);
    expect(await valueOf('cron_store.runs', { 'cron_store.run.status': 'missed' })).toBe(1);
    await node.manager.delete('hourly');
  });

  it('measure how late a fire starts', async () => {
    await node.manager.create({ name: 'late', jobName: 'good', trigger: every(HOUR_MS) });
    await node.manager.hold({ jobName: 'good' });
    await clock.moveBy(HOUR_MS + 30_000);
    await node.manager.release({ jobName: 'good' });
    await untilOver(node, 'late');

    const { sum } = (await valueOf('cron_store.run.lateness', { 'cron_store.run.origin': 'schedule' })) as {
      readonly sum: number;
    };
    expect(sum).toBeGreaterThanOrEqual(30);
    expect(sum).toBeLessThan(60);
    await node.manager.delete('late');
  });

  it('show the slots of the node', async () => {
    await node.manager.create({ name: 'slow', jobName: 'slow', trigger: NEVER });
    expect(await Promise.all(['free', 'used', 'detached'].map(slot))).toEqual([4, 0, 0]);

    await node.manager.triggerNow('slow');
    await untilTrue('it holds a slot', async () => (await slot('used')) === 1);
    await node.manager.cancelRunsOf('slow');
    // Its outcome is decided, and the handler goes on.
    await untilTrue('it is detached', async () => (await slot('detached')) === 1);
    expect(await slot('free')).toBe(3);
    slow.gate.open();
    await untilTrue('it has let go', async () => (await slot('free')) === 4);
  });

  it('show what is due in the whole store, whoever it is for, but not what is held or paused', async () => {
    expect(await valueOf('cron_store.due', {})).toBe(0);
    expect(await valueOf('cron_store.due.age', {})).toBe(0);
    const elsewhere = await startStoreApp({
      url: database.url,
      clock,
      providers: [job('elsewhere', () => undefined)],
    });
    for (const name of ['elsewhere', 'paused', 'held']) {
      await node.manager.create({ name, jobName: name, trigger: every(HOUR_MS) });
    }
    await elsewhere.close();
    await node.manager.pause('paused');
    await node.manager.hold({ jobName: 'held' });
    await clock.moveBy(HOUR_MS + 60_000);

    expect(await valueOf('cron_store.due', {})).toBe(1);
    expect(await valueOf('cron_store.due.age', {})).toBeGreaterThanOrEqual(60);
  });

  it('show the nodes that are alive', async () => {
    // Its next heartbeat is the first after time was moved.
    await untilTrue('this one is', async () => (await alive()) === 1);
    const other = await startStoreApp({ url: database.url, clock });
    expect(await alive()).toBe(2);
    await other.close();
    expect(await alive()).toBe(1);
  });

  it('measure in seconds, up to what a nightly job takes', async () => {
    expect(await telemetry.units()).toEqual({
      'cron_store.runs': '{run}',
      'cron_store.missed_occurrences': '{occurrence}',
      'cron_store.run.lateness': 's',
      'cron_store.run.duration': 's',
      'cron_store.slots': '{slot}',
      'cron_store.due': '{fire}',
      'cron_store.due.age': 's',
      'cron_store.nodes': '{node}',
      'cron_store.up': '',
    });
    for (const name of ['cron_store.run.lateness', 'cron_store.run.duration']) {
      const bounds = await telemetry.bounds(name);
      expect(bounds[0]).toBe(0.005);
      expect(bounds.at(-1)).toBe(14_400);
    }
  });

  it('are exported also where the database refuses', async () => {
    await database.query('alter table crn_hold rename to crn_hold_away');
    try {
      expect(await valueOf('cron_store.up', {})).toBe(0);
      await telemetry.collectLatest('cron_store.due');
      expect(await telemetry.collectLatest('cron_store.due')).toEqual([]);
      expect(await telemetry.collectLatest('cron_store.slots')).toHaveLength(3);
      expect(await telemetry.collect('cron_store.runs')).not.toEqual([]);
    } finally {
      await database.query('alter table crn_hold_away rename to crn_hold');
    }
    expect(await valueOf('cron_store.up', {})).toBe(1);
    expect(await telemetry.collectLatest('cron_store.due')).toHaveLength(1);
  });

  it('end with the node', async () => {
    expect(await runsOf(node, 'good')).toHaveLength(1);
    await node.close();
    await telemetry.collectLatest('cron_store.slots');
    expect(await telemetry.collectLatest('cron_store.slots')).toEqual([]);
    expect(await telemetry.collectLatest('cron_store.up')).toEqual([]);
  });
});
