import {
  every,
  RUN_FAILED_EVENT,
  type RunFailedEvent,
  type ScheduleSpec,
  TriggerInvalidError,
} from '../../../lib/index.js';
import { createTestDatabase, type TestDatabase, untilTrue } from '../../support/database.js';
import { startStoreApp, type StoreApp } from '../../support/store-app.js';
import { job } from './support/jobs.js';
import { NEVER, runsOf, untilOver } from './support/runs.js';

const LARGEST = '9223372036854775807';

function fail(): never {
  throw new Error('It always fails.');
}

describe('corrupted rows', () => {
  let database: TestDatabase;
  let node: StoreApp;
  const failures: RunFailedEvent[] = [];

  beforeAll(async () => {
    database = await createTestDatabase();
    node = await startStoreApp({
      url: database.url,
      providers: [job('work', () => undefined), job('failing', fail)],
    });
    node.events.on(RUN_FAILED_EVENT, (event: RunFailedEvent) => failures.push(event));
  });

  afterAll(async () => {
    await node.close();
    await database.drop();
  });

  /** Makes a schedule due, and its row what no manager would. */
  async function makeDue(name: string, assignments = 'version = version'): Promise<void> {
    await database.query(
      `update crn_schedule set ${assignments},
         next_fire_at_unix_ms = floor(extract(epoch from clock_timestamp()) * 1000)::bigint - 1000
       where name = $1`,
      [name],
    );
  }

  const rows: readonly (readonly [string, Omit<ScheduleSpec, 'jobName'>, string])[] = [
    ['an expression', { trigger: NEVER }, `expr = 'bad'`],
    ['an empty expression', { trigger: NEVER }, `expr = ''`],
    ['a huge expression', { trigger: NEVER }, `expr = repeat('9', 1000000)`],
    ['an unknown zone', { trigger: NEVER }, `timezone = 'Foo/Bar'`],
    ['no interval', { trigger: every('1h') }, 'every_ms = 0'],
    ['a negative interval', { trigger: every('1h') }, 'every_ms = -1000'],
    ['an immense interval', { trigger: every('1h') }, `every_ms = ${LARGEST}`],
  ];

  it.each(rows)(
    'parks a schedule with %s, says why, and fires the others',
    async (fault, spec, assignments) => {
      const name = `corrupted by ${fault}`;
      const healthy = `beside ${fault}`;
      await node.manager.create({ name, jobName: 'work', ...spec });
      await node.manager.create({ name: healthy, jobName: 'work', trigger: NEVER });
      await makeDue(name, assignments);
      await makeDue(healthy);

      const [run, ...others] = await untilOver(node, name);
      expect(others).toEqual([]);
      expect(run).toMatchObject({
        status: 'failed',
        error: expect.stringMatching(/^The schedule cannot be evaluated and was parked: \S/),
        nodeId: node.engine.status().nodeId,
      });
      expect(run?.error?.length).toBeLessThanOrEqual(8_000);
      const { schedule, nextFiresUnixMs } = await node.manager.get(name);
      expect(schedule).toMatchObject({ state: 'parked', isEnabled: true });
      expect(schedule.parkedReason).not.toBe('');
      expect(schedule).not.toHaveProperty('nextFireAtUnixMs');
      expect(nextFiresUnixMs).toEqual([]);
      expect(await node.manager.list()).toContainEqual(expect.objectContaining({ name, state: 'parked' }));
      await untilTrue('the failure is told', () => failures.some(({ runId }) => runId === run?.id));
      expect(failures.filter(({ scheduleName }) => scheduleName === name)).toMatchObject([
        { error: run?.error, origin: 'schedule' },
      ]);

      expect(await untilOver(node, healthy)).toMatchObject([{ status: 'succeeded' }]);
      expect(await runsOf(node, name)).toHaveLength(1);
      expect(node.engine.status().state).toBe('running');

      await expect(node.manager.resume(name)).rejects.toThrow(TriggerInvalidError);
      expect((await node.manager.get(name)).schedule.state).toBe('parked');
      expect(await node.manager.patch(name, { trigger: every('2h') })).toMatchObject({ state: 'armed' });
      await makeDue(name);
      await untilOver(node, name, 2);
      await node.manager.delete(name);
      await node.manager.delete(healthy);
    },
  );

  it('unparks by a resume once the row is right again', async () => {
    await node.manager.create({ name: 'repaired', jobName: 'work', trigger: every('1h') });
    await makeDue('repaired', 'every_ms = 1');
    await untilTrue('it is parked', async () => {
      const { schedule } = await node.manager.get('repaired');
      return schedule.state === 'parked';
    });
    await database.query(`update crn_schedule set every_ms = 3600000 where name = 'repaired'`);
    expect(await node.manager.resume('repaired')).toMatchObject({ state: 'armed' });
    await makeDue('repaired');
    expect((await untilOver(node, 'repaired', 2)).slice(0, 2)).toMatchObject([
      { status: 'failed' },
      { status: 'succeeded' },
    ]);
    await node.manager.delete('repaired');
  });

  it.each([
    ['an anchor beyond all time', { trigger: every('1h') }, `anchor_at_unix_ms = ${LARGEST}`],
    ['an anchor before all time', { trigger: every('1h') }, `anchor_at_unix_ms = -${LARGEST}`],
    ['a start beyond all time', { trigger: every('1h') }, `starts_at_unix_ms = ${LARGEST}`],
    ['an end before its start', { trigger: every('1h') }, 'starts_at_unix_ms = 2, ends_at_unix_ms = 1'],
    ['a start before all time', { trigger: NEVER }, `starts_at_unix_ms = -${LARGEST}`],
    ['an end beyond all time', { trigger: every('1h') }, `ends_at_unix_ms = ${LARGEST}`],
    ['a timeout beyond all time', { trigger: every('1h') }, `timeout_ms = ${LARGEST}`],
    ['a negative timeout', { trigger: every('1h') }, 'timeout_ms = -1'],
  ])('is not stopped by a schedule with %s', async (fault, spec, assignments) => {
    const name = `odd: ${fault}`;
    const healthy = `beside odd: ${fault}`;
    await node.manager.create({ name, jobName: 'work', ...spec });
    await makeDue(name, assignments);
    await node.manager.create({ name: healthy, jobName: 'work', trigger: NEVER });
    await makeDue(healthy);
    await untilOver(node, healthy);
    expect((await untilOver(node, name))[0]).toMatchObject({ status: 'succeeded' });
    expect(node.engine.status().state).toBe('running');
    await node.manager.delete(name);
    await node.manager.delete(healthy);
  });

  it.each([
    ['null', 1],
    ['"often"', 1],
    ['{"maxAttempts": "many"}', 1],
    ['{"maxAttempts": 2, "backoffMs": 0}', 2],
  ])('follows the retry policy %s as far as it is one', async (retry, attempts) => {
    const name = `retried by ${retry}`;
    await node.manager.create({ name, jobName: 'failing', trigger: NEVER });
    await database.query('update crn_schedule set retry = $2 where name = $1', [name, retry]);
    await node.manager.triggerNow(name);
    const runs = await untilOver(node, name, attempts);
    expect(runs.map(({ status, attempt }) => [status, attempt])).toEqual(
      Array.from({ length: attempts }, (_, index) => ['failed', index + 1]),
    );
    await untilTrue(
      'nothing waits',
      async () => (await database.query('select from crn_fire_request')).length === 0,
    );
    expect(node.engine.status()).toMatchObject({ state: 'running', running: 0, detached: 0 });
    await node.manager.delete(name);
  });

  it('parks a schedule whose cursor is no instant', async () => {
    await node.manager.create({ name: 'beyond', jobName: 'work', trigger: every('1h') });
    await database.query(`update crn_schedule set next_fire_at_unix_ms = -${LARGEST} where name = 'beyond'`);
    await node.manager.create({ name: 'within', jobName: 'work', trigger: every('1h') });
    await makeDue('within');
    await untilOver(node, 'within');
    expect(await untilOver(node, 'beyond')).toMatchObject([
      { status: 'failed', error: expect.stringContaining('beyond the instants that exist') },
    ]);
    expect((await node.manager.get('beyond')).schedule.state).toBe('parked');
    expect(await node.manager.resume('beyond')).toMatchObject({ state: 'armed' });
    await node.manager.delete('beyond');
    await node.manager.delete('within');
  });

  it('counts from a cursor before the epoch', async () => {
    await node.manager.create({ name: 'ancient', jobName: 'work', trigger: every('1h') });
    await database.query(`update crn_schedule set next_fire_at_unix_ms = -1 where name = 'ancient'`);
    const runs = await untilOver(node, 'ancient', 2);
    expect(runs.map(({ status }) => status).toSorted()).toEqual(['missed', 'succeeded']);
    await node.manager.delete('ancient');
  });
});
