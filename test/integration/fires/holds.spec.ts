import { JobNotRegisteredError, ScheduleInvalidError } from '../../../lib/index.js';
import { createTestDatabase, type TestDatabase, untilTrue } from '../../support/database.js';
import { MovedClock } from '../../support/moved-clock.js';
import { startStoreApp, type StoreApp } from '../../support/store-app.js';
import { job } from '../engine/support/jobs.js';
import { NEVER, runsOf, untilOver } from '../engine/support/runs.js';

const START = Date.parse('2030-03-01T00:00:00Z');
const HOUR_MS = 3_600_000;
const NOTHING = { started: 0, journaled: 0 };

describe('holds and pauses with an end', () => {
  let database: TestDatabase;
  let clock: MovedClock;
  let node: StoreApp;

  beforeAll(async () => {
    database = await createTestDatabase();
    clock = await MovedClock.on(database);
    await clock.freezeAt(START);
    node = await startStoreApp({
      url: database.url,
      clock,
      providers: [job('held', () => undefined), job('free', () => undefined)],
    });
  });

  afterAll(async () => {
    await node.close();
    await database.drop();
  });

  afterEach(async () => {
    await node.manager.release({});
    await node.manager.release({ jobName: 'held' });
    for (const { name } of await node.manager.list()) {
      await node.manager.delete(name);
    }
  });

  async function create(jobName: string): Promise<void> {
    await node.manager.create({ name: jobName, jobName, trigger: NEVER, concurrencyPolicy: 'allow' });
  }

  it('holds back one job and no other, until it is released', async () => {
    await create('held');
    await create('free');
    expect(await node.manager.hold({ jobName: 'held' }, { note: 'migration', actor: 'ann' })).toEqual({
      jobName: 'held',
      note: 'migration',
      heldAtUnixMs: START,
      heldBy: 'ann',
    });
    const shown = async (): Promise<string[]> =>
      (await node.manager.list()).map(({ name, isHeld }) => `${name} ${isHeld}`);
    expect(await shown()).toEqual(['free false', 'held true']);
    expect((await node.manager.get('held')).schedule).toMatchObject({ isHeld: true, state: 'armed' });
    await node.manager.triggerNow('held');
    await node.manager.triggerNow('free');
    await untilOver(node, 'free');
    expect(await node.engine.runOnce()).toEqual(NOTHING);
    expect(await runsOf(node, 'held')).toEqual([]);

    expect(await node.manager.release({ jobName: 'held' })).toBe(true);
    expect(await shown()).toEqual(['free false', 'held false']);
    await untilOver(node, 'held');
    expect(await node.manager.release({ jobName: 'held' })).toBe(false);
  });

  it('holds back the whole store until its end, beside the pauses of schedules', async () => {
    await create('held');
    await create('free');
    await node.manager.pause('free');
    await node.manager.hold({}, { until: START + HOUR_MS });
    await node.manager.triggerNow('held');
    expect(await node.engine.runOnce()).toEqual(NOTHING);
    expect(await node.manager.listHolds()).toMatchObject([{ untilUnixMs: START + HOUR_MS }]);

    await clock.freezeAt(START + HOUR_MS);
    await untilOver(node, 'held');
    expect(await node.manager.listHolds()).toEqual([]);
    expect((await node.manager.get('free')).schedule.state).toBe('paused');
  });

  it('ends a pause by itself, and tells until when and why it lasts', async () => {
    const from = await clock.now();
    await node.manager.create({
      name: 'hourly',
      jobName: 'free',
      trigger: { kind: 'cron', expr: '@hourly' },
    });
    const paused = await node.manager.pause('hourly', {
      note: 'audit',
      until: from + 90 * 60_000,
      actor: 'ann',
    });
    expect(paused).toMatchObject({
      state: 'paused',
      pauseNote: 'audit',
      pausedBy: 'ann',
      pausedAtUnixMs: from,
    });
    expect(await node.manager.get('hourly')).toMatchObject({
      nextFiresUnixMs: [],
      nextFiresIfResumedUnixMs: [
        from + HOUR_MS,
        from + 2 * HOUR_MS,
        from + 3 * HOUR_MS,
        expect.any(Number),
        expect.any(Number),
      ],
    });

    await clock.moveBy(90 * 60_000);
    await untilTrue('the pause has ended', async () => (await node.manager.get('hourly')).schedule.isEnabled);
    expect(await untilOver(node, 'hourly')).toMatchObject([{ scheduledAtUnixMs: from + HOUR_MS }]);
    expect((await node.manager.get('hourly')).schedule).not.toHaveProperty('pauseNote');
  });

  it('ends the pause of a schedule that has nothing left to fire, which is spent then', async () => {
    const now = await clock.now();
    await node.manager.create({
      name: 'single',
      jobName: 'free',
      trigger: { kind: 'once', atUnixMs: now + 1_000 },
      enabled: false,
    });
    await node.manager.pause('single', { until: now + 2_000 });
    await clock.moveBy(3_000);
    await untilTrue('it is spent', async () => (await node.manager.get('single')).schedule.state === 'spent');
  });

  it('keeps a schedule paused whose row cannot be evaluated, and does not try for ever', async () => {
    const now = await clock.now();
    await node.manager.create({ name: 'broken', jobName: 'free', trigger: NEVER, enabled: false });
    await node.manager.pause('broken', { until: now + 2_000, note: 'audit' });
    await database.query(`update crn_schedule set expr = 'bad' where name = 'broken'`);
    await clock.moveBy(3_000);
    await untilTrue('the end of the pause is gone', async () => {
      const { schedule } = await node.manager.get('broken');
      return schedule.pausedUntilUnixMs === undefined;
    });
    expect((await node.manager.get('broken')).schedule).toMatchObject({
      state: 'paused',
      pauseNote: 'audit',
    });
  });

  it('fires what a spent schedule is still owed when it is resumed', async () => {
    await node.manager.create({ name: 'owed', jobName: 'held', trigger: NEVER });
    await node.manager.hold({ jobName: 'held' });
    const { requestId } = await node.manager.triggerNow('owed');
    await database.query(`update crn_schedule set next_fire_at_unix_ms = null where name = 'owed'`);
    await node.manager.pause('owed');
    await node.manager.release({ jobName: 'held' });
    expect(await node.engine.runOnce()).toEqual(NOTHING);

    await node.manager.patch('owed', { enabled: false, trigger: { kind: 'once', atUnixMs: START } });
    expect(await node.manager.resume('owed')).toMatchObject({ state: 'spent' });
    expect(await untilOver(node, 'owed')).toMatchObject([{ idempotencyKey: requestId, status: 'succeeded' }]);
  });

  it('refuses a job that nobody knows, which must not look held, and takes one that only a schedule names', async () => {
    await expect(node.manager.hold({ jobName: 'hled' })).rejects.toThrow(JobNotRegisteredError);
    expect(await node.manager.listHolds()).toEqual([]);

    await create('free');
    await database.query(`update crn_schedule set job_name = 'gone' where name = 'free'`);
    expect(await node.manager.hold({ jobName: 'gone' })).toMatchObject({ jobName: 'gone' });
    await node.manager.release({ jobName: 'gone' });
  });

  it.each([
    [async () => node.manager.hold({ jobName: 'held' }, { until: 0 }), /until must be in the future/],
    [async () => node.manager.hold({ job: 'held' } as object), /is no field of what to hold/],
    [async () => node.manager.hold({ jobName: '' }), /jobName is required/],
    [async () => node.manager.hold({}, { note: 'a\0b' }), /note must be a string/],
  ])('refuses what it cannot understand (%#)', async (attempt, message) => {
    await expect(attempt()).rejects.toThrow(ScheduleInvalidError);
    await expect(attempt()).rejects.toThrow(message);
    expect(await node.manager.listHolds()).toEqual([]);
  });
});
