import { every } from '../../../lib/index.js';
import { createTestDatabase, type TestDatabase, untilTrue } from '../../support/database.js';
import { ManagementApp, YEARLY } from './support/management-app.js';

const HOUR = 3_600_000;
const UNKNOWN_ID = '01970f2e-6c00-7000-8000-00000000abcd';

interface Interval {
  readonly fromUnixMs: number;
  readonly toUnixMs: number;
  readonly counts: Readonly<Record<string, number>>;
}

describe('what sums up schedules and runs', () => {
  let database: TestDatabase;
  let app: ManagementApp;
  let ids: Readonly<Record<'report' | 'failing', string>>;

  beforeAll(async () => {
    database = await createTestDatabase();
    app = await ManagementApp.start({ url: database.url, adapter: 'express' });
    const report = await app.manager.create({
      name: 'report',
      jobName: 'report',
      trigger: YEARLY,
      concurrencyPolicy: 'allow',
    });
    const failing = await app.manager.create({
      name: 'failing',
      jobName: 'failing',
      trigger: YEARLY,
      retry: { maxAttempts: 3, backoffMs: 0 },
    });
    ids = { report: report.id, failing: failing.id };
    await app.manager.triggerNow('report');
    await app.manager.triggerNow('report');
    await app.manager.triggerNow('failing');
    await untilTrue('all are over', async () => {
      const runs = await app.manager.listRuns();
      return runs.filter(({ status }) => status === 'succeeded').length === 2 && runs.length === 5;
    });
    await untilTrue(
      'nothing runs',
      async () => (await app.manager.listRuns({ statuses: ['running'] })).length === 0,
    );
  });

  afterAll(async () => {
    await app?.close();
    await database?.drop();
  });

  async function now(): Promise<number> {
    const { data } = await app.call('access/get');
    return (data as { readonly nowUnixMs: number }).nowUnixMs;
  }

  async function count(params: object): Promise<readonly Interval[]> {
    const { code, data } = await app.call('run/count_by_time', params);
    expect(code).toBe(0);
    expect(data).toMatchObject({ isExact: true });
    return (data as { readonly intervals: readonly Interval[] }).intervals;
  }

  async function statuses(from: number, to: number): Promise<readonly string[]> {
    const [interval] = await count({ boundsUnixMs: [from, to], scheduleId: ids.report });
    return Object.keys(interval?.counts ?? {});
  }

  it('counts runs between neighbouring instants, by status', async () => {
    const end = (await now()) + 1;
    const bounds = [end - 2 * HOUR, end - HOUR, end];
    expect(await count({ boundsUnixMs: bounds })).toEqual([
      { fromUnixMs: bounds[0], toUnixMs: bounds[1], counts: {} },
      { fromUnixMs: bounds[1], toUnixMs: bounds[2], counts: { succeeded: 2, failed: 3 } },
    ]);
    expect((await count({ boundsUnixMs: bounds, scheduleId: ids.report })).at(-1)?.counts).toEqual({
      succeeded: 2,
    });
    expect((await count({ boundsUnixMs: bounds, scheduleId: UNKNOWN_ID })).at(-1)?.counts).toEqual({});
  });

  it('takes the first instant of an interval as its own, and leaves out the last', async () => {
    const [run] = await app.manager.listRuns({ scheduleName: 'report', limit: 1 });
    const at = run?.claimedAtUnixMs ?? 0;
    expect(await statuses(at, at + 1)).toEqual(['succeeded']);
    expect(await statuses(at + 1, at + HOUR)).toEqual([]);
  });

  it.each([
    ['one bound', { boundsUnixMs: [1] }, 'from 2 to 1001, not 1'],
    [
      'too many bounds',
      { boundsUnixMs: Array.from({ length: 1_002 }, (_, index) => index) },
      'from 2 to 1001, not 1002',
    ],
    ['bounds that descend', { boundsUnixMs: [2, 1] }, 'must ascend'],
    ['bounds that repeat', { boundsUnixMs: [1, 1] }, 'must ascend'],
    ['no id', { boundsUnixMs: [1, 2], scheduleId: 'report' }, 'a UUID'],
  ])('refuses to count by %s', async (_, params, message) => {
    expect(await app.call('run/count_by_time', params)).toMatchObject({
      code: 2706,
      message: expect.stringContaining(message),
    });
  });

  it('refuses what is no list of instants', async () => {
    expect(await app.call('run/count_by_time', { boundsUnixMs: [1, '2'] })).toMatchObject({
      code: 1400,
      message: expect.stringContaining('params.boundsUnixMs[1] must be a whole number'),
    });
    expect(await app.call('run/count_by_time', { boundsUnixMs: 5 })).toMatchObject({ code: 1400 });
  });

  it('finds the newest runs of each of several schedules', async () => {
    const { data } = await app.call('run/find_latest', {
      scheduleIds: [ids.report, UNKNOWN_ID, ids.failing],
      limit: 2,
    });
    expect(data).toMatchObject([
      { scheduleId: ids.report, runs: [{ status: 'succeeded' }, { status: 'succeeded' }] },
      { scheduleId: UNKNOWN_ID, runs: [] },
      { scheduleId: ids.failing, runs: [{ attempt: 3 }, { attempt: 2 }] },
    ]);
    expect(JSON.stringify(data)).not.toContain('"error"');
    expect(await app.call('run/find_latest', { scheduleIds: [] })).toMatchObject({ code: 0, data: [] });
  });

  it.each([
    ['no id', { scheduleIds: ['report'] }, 'a UUID'],
    ['too many runs', { scheduleIds: [], limit: 51 }, 'from 1 to 50'],
    ['too many schedules', { scheduleIds: Array.from({ length: 201 }, () => UNKNOWN_ID) }, 'from 0 to 200'],
  ])('refuses to find the latest of %s', async (_, params, message) => {
    expect(await app.call('run/find_latest', params)).toMatchObject({
      code: 2706,
      message: expect.stringContaining(message),
    });
  });

  it('finds every attempt from each of them, the first one first', async () => {
    const runs = (await app.manager.listRuns({ scheduleName: 'failing' })).toReversed();
    for (const { id } of runs) {
      const { data } = await app.call('run/find_attempts', { id });
      expect(data).toMatchObject(runs.map((run, index) => ({ id: run.id, attempt: index + 1 })));
      expect(JSON.stringify(data)).not.toContain('"error"');
    }
    expect(await app.call('run/find_attempts', { id: UNKNOWN_ID })).toMatchObject({ code: 2001 });
    expect(await app.call('run/find_attempts', { id: 'x' })).toMatchObject({ code: 2001 });
  });

  it('looks ahead over all schedules that can fire, the next first', async () => {
    await app.manager.create({
      name: 'often',
      jobName: 'report',
      trigger: every('20s'),
      enabled: true,
      startsAt: (await now()) + HOUR,
    });
    await app.manager.create({ name: 'hourly', jobName: 'report', trigger: every('1h') });
    await app.manager.create({ name: 'paused', jobName: 'report', trigger: every('1h'), enabled: false });
    const untilUnixMs = (await now()) + 2.5 * HOUR;
    const { data } = await app.call('schedule/find_upcoming', { untilUnixMs });
    expect(data).toMatchObject({
      isComplete: true,
      items: expect.arrayContaining([
        expect.objectContaining({ scheduleName: 'hourly', isComplete: true }),
        expect.objectContaining({ scheduleName: 'often', isComplete: false }),
      ]),
    });
    const { items } = data as { items: readonly { scheduleName: string; firesUnixMs: readonly number[] }[] };
    expect(items.map(({ scheduleName }) => scheduleName).toSorted()).toEqual(['hourly', 'often']);
    expect(items.find(({ scheduleName }) => scheduleName === 'hourly')?.firesUnixMs).toHaveLength(2);
    expect(items.find(({ scheduleName }) => scheduleName === 'often')?.firesUnixMs).toHaveLength(100);
    expect(items.flatMap(({ firesUnixMs }) => firesUnixMs).every((at) => at <= untilUnixMs)).toBe(true);
    const first = await app.call('schedule/find_upcoming', { untilUnixMs, limit: 1 });
    expect(first.data).toMatchObject({ isComplete: false, items: [{}] });
    expect(await app.call('schedule/find_upcoming', { untilUnixMs, limit: 201 })).toMatchObject({
      code: 2706,
    });
    expect(await app.call('schedule/find_upcoming', {})).toMatchObject({ code: 1400 });
  });

  it('leaves out what is held for all of the time, and says until when the rest is held', async () => {
    await app.manager.create({ name: 'ahead', jobName: 'report', trigger: every('1h') });
    await app.manager.create({ name: 'beside', jobName: 'cleanup', trigger: every('1h') });
    const at = await now();
    const untilUnixMs = at + 2.5 * HOUR;
    const upcoming = async () => {
      const { data } = await app.call('schedule/find_upcoming', { untilUnixMs });
      const { items, isComplete } = data as {
        items: readonly { scheduleName: string; heldUntilUnixMs?: number }[];
        isComplete: boolean;
      };
      expect(isComplete).toBe(true);
      const ofTest = items.filter(({ scheduleName }) => ['ahead', 'beside'].includes(scheduleName));
      return Object.fromEntries(ofTest.map((item) => [item.scheduleName, item.heldUntilUnixMs ?? 'free']));
    };

    expect(await upcoming()).toEqual({ ahead: 'free', beside: 'free' });
    await app.manager.hold({ jobName: 'report' });
    expect(await upcoming()).toEqual({ beside: 'free' });
    await app.manager.hold({ jobName: 'report' }, { until: untilUnixMs + 1 });
    expect(await upcoming()).toEqual({ beside: 'free' });
    await app.manager.hold({ jobName: 'report' }, { until: untilUnixMs });
    expect(await upcoming()).toEqual({ ahead: untilUnixMs, beside: 'free' });
    await app.manager.hold({}, { until: at + HOUR });
    expect(await upcoming()).toEqual({ ahead: untilUnixMs, beside: at + HOUR });
    await app.manager.hold({});
    expect(await upcoming()).toEqual({});

    await app.manager.release({});
    await app.manager.release({ jobName: 'report' });
  });

  it('finds what is late: overdue by more than the threshold, and neither paused nor parked', async () => {
    const names = ['late', 'late and paused', 'late and parked', 'due just now'];
    for (const name of names) {
      await app.manager.create({ name, jobName: 'report', trigger: YEARLY });
    }
    await database.query(`update crn_schedule set job_name = 'gone' where name = any($1)`, [names]);
    await database.query(`update crn_schedule set next_fire_at_unix_ms = 1000 where name like 'late%'`);
    await database.query(`update crn_schedule set is_enabled = false where name = 'late and paused'`);
    await database.query(`update crn_schedule set parked_reason = 'odd' where name = 'late and parked'`);
    await database.query(`update crn_schedule set next_fire_at_unix_ms = $1 where name = 'due just now'`, [
      (await now()) - 1_000,
    ]);
    const late = await app.call('schedule/find_page', { late: true });
    expect(late.data).toMatchObject({ total: 1, items: [{ name: 'late' }] });
    await app.manager.hold({});
    const held = await app.call('schedule/find_page', { late: true });
    expect(held.data).toMatchObject({ total: 1, items: [{ name: 'late', isHeld: true }] });
    await app.manager.release({});
    const all = await app.call('schedule/find_page', { late: false, name: 'late' });
    expect(all.data).toMatchObject({ total: 3 });
  });
});
