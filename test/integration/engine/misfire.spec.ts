import { cron, every, type MisfirePolicy, once, type ScheduleSpec } from '../../../lib/index.js';
import { createTestDatabase, type TestDatabase, untilTrue } from '../../support/database.js';
import { MovedClock } from '../../support/moved-clock.js';
import { startStoreApp, type StoreApp } from '../../support/store-app.js';
import { job } from './support/jobs.js';
import { runsOf, summary, untilOver } from './support/runs.js';

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

describe('misfire', () => {
  let database: TestDatabase;
  let clock: MovedClock;
  let node: StoreApp;

  beforeAll(async () => {
    database = await createTestDatabase();
    clock = await MovedClock.on(database);
    await start();
  });

  afterAll(async () => {
    await node.close();
    await database.drop();
  });

  afterEach(async () => {
    for (const { name } of await node.manager.list()) {
      await node.manager.delete(name);
    }
  });

  async function start(): Promise<void> {
    node = await startStoreApp({ url: database.url, clock, providers: [job('work', () => undefined)] });
  }

  /** All nodes are down from one instant to another. */
  async function downFromTo(from: string | number, to: string | number): Promise<void> {
    await clock.freezeAt(new Date(from).getTime());
    await node.close();
    await clock.freezeAt(new Date(to).getTime());
    await start();
  }

  async function create(spec: Omit<ScheduleSpec, 'jobName'>): Promise<void> {
    await node.manager.create({ jobName: 'work', ...spec });
  }

  async function nextFire(name: string): Promise<string | undefined> {
    const { schedule } = await node.manager.get(name);
    return schedule.nextFireAtUnixMs === undefined
      ? undefined
      : new Date(schedule.nextFireAtUnixMs).toISOString();
  }

  it('applies the policy to noon when every node is down from 11:59 to 12:05 (scenario 17)', async () => {
    await clock.freezeAt(Date.parse('2030-01-15T11:59:00Z'));
    for (const misfirePolicy of ['skip', 'fire_now', 'backfill'] satisfies MisfirePolicy[]) {
      await create({ name: `noon, ${misfirePolicy}`, trigger: cron('0 12 * * *'), misfirePolicy });
    }
    await downFromTo('2030-01-15T11:59:00Z', '2030-01-15T12:05:00Z');

    expect((await untilOver(node, 'noon, skip')).map(summary)).toEqual([
      'missed 2030-01-15T12:00:00.000Z (1)',
    ]);
    for (const misfirePolicy of ['fire_now', 'backfill'] satisfies MisfirePolicy[]) {
      expect((await untilOver(node, `noon, ${misfirePolicy}`)).map(summary)).toEqual([
        'succeeded 2030-01-15T12:00:00.000Z',
      ]);
      expect(await nextFire(`noon, ${misfirePolicy}`)).toBe('2030-01-16T12:00:00.000Z');
    }
    expect(await nextFire('noon, skip')).toBe('2030-01-16T12:00:00.000Z');
  });

  it('catches up by the latest occurrence, and counts the others exactly (scenario 18)', async () => {
    await clock.freezeAt(Date.parse('2030-02-01T10:00:30Z'));
    await create({ name: 'minutely', trigger: cron('* * * * *') });
    await create({ name: 'every second', trigger: cron('@every:1000') });
    await downFromTo('2030-02-01T10:00:30Z', '2030-02-01T11:41:30Z');
    expect((await untilOver(node, 'minutely', 2)).map(summary).toSorted()).toEqual([
      'missed 2030-02-01T10:01:00.000Z (100)',
      'succeeded 2030-02-01T11:41:00.000Z',
    ]);
    await untilOver(node, 'every second', 2);

    await node.manager.delete('minutely');
    await downFromTo('2030-02-01T11:41:30Z', '2030-02-02T11:41:30Z');
    expect((await untilOver(node, 'every second', 4)).slice(2).map(summary).toSorted()).toEqual([
      'missed 2030-02-01T11:41:31.000Z (86399)',
      'succeeded 2030-02-02T11:41:30.000Z',
    ]);
  });

  it('fires on time up to the very threshold (scenario 21)', async () => {
    await clock.freezeAt(Date.parse('2030-03-01T00:00:00Z'));
    for (const name of ['at the threshold', 'beyond the threshold']) {
      await create({ name, trigger: cron('0 6 * * *'), misfirePolicy: 'skip' });
    }
    await node.manager.pause('beyond the threshold');
    await downFromTo('2030-03-01T05:00:00Z', '2030-03-01T06:01:00.000Z');
    expect((await untilOver(node, 'at the threshold')).map(summary)).toEqual([
      'succeeded 2030-03-01T06:00:00.000Z',
    ]);

    await clock.freezeAt(Date.parse('2030-03-01T06:01:00.001Z'));
    await node.manager.resume('beyond the threshold');
    expect((await untilOver(node, 'beyond the threshold')).map(summary)).toEqual([
      'missed 2030-03-01T06:00:00.000Z (1)',
    ]);
  });

  it('fires nothing for the time before a schedule was created (scenario 22)', async () => {
    await clock.freezeAt(Date.parse('2030-04-15T09:30:00Z'));
    await create({ name: 'monthly', trigger: cron('0 0 1 * *') });
    await create({ name: 'witness', trigger: once(new Date('2030-04-15T09:30:01Z')) });
    await clock.moveBy(SECOND_MS);
    await untilOver(node, 'witness');
    await node.engine.runOnce();
    expect(await runsOf(node, 'monthly')).toEqual([]);
    expect(await nextFire('monthly')).toBe('2030-05-01T00:00:00.000Z');
  });

  it.each([
    ['fire_now', ['missed 2030-05-02T08:01:00.000Z (9)', 'succeeded 2030-05-02T08:10:00.000Z']],
    ['skip', ['missed 2030-05-02T08:01:00.000Z (10)']],
  ] as const)('hands the gap of a pause to the policy %s (scenario 23)', async (misfirePolicy, expected) => {
    const name = `paused, ${misfirePolicy}`;
    await clock.freezeAt(Date.parse('2030-05-02T08:00:30Z'));
    await create({ name, trigger: cron('* * * * *'), misfirePolicy });
    await node.manager.pause(name);
    await clock.freezeAt(Date.parse('2030-05-02T08:10:30Z'));
    await node.engine.runOnce();
    expect(await runsOf(node, name)).toEqual([]);
    expect(await nextFire(name)).toBe('2030-05-02T08:01:00.000Z');

    await node.manager.resume(name);
    expect((await untilOver(node, name, expected.length)).map(summary).toSorted()).toEqual(expected);
    expect(await nextFire(name)).toBe('2030-05-02T08:11:00.000Z');
  });

  it('counts nothing beyond the end of a window that closed while every node was down (scenario 24)', async () => {
    await clock.freezeAt(Date.parse('2030-06-01T00:00:00Z'));
    for (const misfirePolicy of ['skip', 'fire_now'] satisfies MisfirePolicy[]) {
      await create({
        name: `closing, ${misfirePolicy}`,
        trigger: every('1m'),
        endsAt: new Date('2030-06-01T00:05:00Z'),
        misfirePolicy,
      });
    }
    await downFromTo('2030-06-01T00:00:30Z', '2030-06-01T00:30:00Z');
    expect((await untilOver(node, 'closing, fire_now', 2)).map(summary).toSorted()).toEqual([
      'missed 2030-06-01T00:01:00.000Z (4)',
      'succeeded 2030-06-01T00:05:00.000Z',
    ]);
    expect((await untilOver(node, 'closing, skip')).map(summary)).toEqual([
      'missed 2030-06-01T00:01:00.000Z (5)',
    ]);
    for (const { name } of await node.manager.list()) {
      if (name.startsWith('closing')) {
        expect((await node.manager.get(name)).schedule).toMatchObject({ state: 'spent' });
      }
    }
  });

  it('keeps the phase of an interval, however long its runs take (scenario 25)', async () => {
    const start = Date.parse('2030-07-01T00:00:07.123Z');
    await clock.freezeAt(start);
    await create({ name: 'steady', trigger: every('1m') });
    for (let fire = 1; fire <= 100; fire += 1) {
      // Every fire is late by some, and the next is looked at when the run has taken its time.
      await clock.freezeAt(start + fire * MINUTE_MS + ((fire * 379) % SECOND_MS));
      await node.engine.runOnce();
      await untilOver(node, 'steady', fire);
      await clock.moveBy(7 * SECOND_MS);
      await node.engine.runOnce();
    }
    const runs = await runsOf(node, 'steady', 'succeeded');
    expect(runs.map((run) => run.scheduledAtUnixMs)).toEqual(
      Array.from({ length: 100 }, (_, index) => start + (index + 1) * MINUTE_MS),
    );
  });

  it('fires a single instant also when it is long past, once', async () => {
    await clock.freezeAt(Date.parse('2030-08-01T00:00:00Z'));
    await create({ name: 'single', trigger: once(new Date('2030-08-01T01:00:00Z')) });
    await downFromTo('2030-08-01T00:00:00Z', '2030-08-03T00:00:00Z');
    expect((await untilOver(node, 'single')).map(summary)).toEqual(['succeeded 2030-08-01T01:00:00.000Z']);
    await clock.moveBy(DAY_MS);
    await node.engine.runOnce();
    expect(await runsOf(node, 'single')).toHaveLength(1);
    expect((await node.manager.get('single')).schedule.state).toBe('spent');
  });

  it('claims nothing when it looks early, and fires once when it is time (scenario 5)', async () => {
    await clock.freezeAt(Date.parse('2030-09-01T00:00:00Z'));
    await create({ name: 'early wake', trigger: once(new Date('2030-09-01T01:00:00Z')) });
    for (const early of [20, 5, 1]) {
      await clock.freezeAt(Date.parse('2030-09-01T01:00:00Z') - early);
      expect(await node.engine.runOnce()).toEqual({ started: 0, journaled: 0 });
    }
    expect(await runsOf(node, 'early wake')).toEqual([]);
    await clock.freezeAt(Date.parse('2030-09-01T01:00:00Z'));
    expect((await untilOver(node, 'early wake')).map(summary)).toEqual([
      'succeeded 2030-09-01T01:00:00.000Z',
    ]);
    await node.engine.runOnce();
    expect(await runsOf(node, 'early wake')).toHaveLength(1);
  });

  it('sees in the journal how late a run was claimed, by the time of the store', async () => {
    await clock.freezeAt(Date.parse('2030-10-01T00:00:00Z'));
    await create({ name: 'late', trigger: once(new Date('2030-10-01T01:00:00Z')) });
    await clock.freezeAt(Date.parse('2030-10-01T01:00:42Z'));
    const [run] = await untilOver(node, 'late');
    expect(run).toMatchObject({
      status: 'succeeded',
      scheduledAtUnixMs: Date.parse('2030-10-01T01:00:00Z'),
      claimedAtUnixMs: Date.parse('2030-10-01T01:00:42Z'),
    });
  });

  it('takes a clock that was set back as it is: nothing fires again', async () => {
    await clock.freezeAt(Date.parse('2030-11-01T00:00:00Z'));
    await create({ name: 'set back', trigger: every('1m') });
    await clock.moveBy(MINUTE_MS);
    await untilOver(node, 'set back');
    await clock.moveBy(-MINUTE_MS);
    await node.engine.runOnce();
    await clock.moveBy(MINUTE_MS);
    await node.engine.runOnce();
    expect(await runsOf(node, 'set back')).toHaveLength(1);
    await clock.moveBy(MINUTE_MS);
    await untilOver(node, 'set back', 2);
    await untilTrue('the node is idle', () => node.engine.status().running === 0);
  });
});
