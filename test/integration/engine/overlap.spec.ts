import { every, type ScheduleSpec } from '../../../lib/index.js';
import { createTestDatabase, type TestDatabase, untilTrue } from '../../support/database.js';
import { MovedClock } from '../../support/moved-clock.js';
import { startStoreApp, type StoreApp } from '../../support/store-app.js';
import { GatedJob } from './support/jobs.js';
import { NEVER, runsOf, summary, untilFireIsOver, untilOver } from './support/runs.js';

const MINUTE_MS = 60_000;
const START = Date.parse('2030-01-01T00:00:00Z');

describe('overlap', () => {
  let database: TestDatabase;
  let clock: MovedClock;
  let node: StoreApp;
  const work = new GatedJob('work');

  beforeAll(async () => {
    database = await createTestDatabase();
    clock = await MovedClock.on(database);
    node = await startStoreApp({ url: database.url, clock, providers: [work.provider] });
  });

  beforeEach(async () => {
    work.gate.close();
    await clock.freezeAt(START);
  });

  afterEach(async () => {
    work.gate.open();
    for (const { name } of await node.manager.list()) {
      await node.manager.delete(name);
    }
    await untilTrue('no run is active', () => node.engine.status().running === 0);
  });

  afterAll(async () => {
    await node.close();
    await database.drop();
  });

  async function create(name: string, spec: Partial<ScheduleSpec> = {}): Promise<string> {
    const { id } = await node.manager.create({ name, jobName: 'work', trigger: every('1m'), ...spec });
    return id;
  }

  async function untilStarted(name: string, count = 1): Promise<void> {
    await untilTrue(`${count} handlers of ${name} run`, () => work.of(name).length >= count);
  }

  it('journals a fire that would overlap as skipped, and goes on with the schedule (scenario 26)', async () => {
    await create('one at a time');
    await clock.moveBy(MINUTE_MS);
    await untilStarted('one at a time');
    await clock.moveBy(MINUTE_MS);
    await untilOver(node, 'one at a time');
    work.gate.open();
    await untilOver(node, 'one at a time', 2);
    await clock.moveBy(MINUTE_MS);
    expect((await untilOver(node, 'one at a time', 3)).map(summary)).toEqual([
      'succeeded 2030-01-01T00:01:00.000Z',
      'skipped 2030-01-01T00:02:00.000Z',
      'succeeded 2030-01-01T00:03:00.000Z',
    ]);
  });

  it('journals a manual fire that would overlap as skipped', async () => {
    await create('busy', { trigger: NEVER });
    const first = await node.manager.triggerNow('busy');
    await untilStarted('busy');
    const second = await node.manager.triggerNow('busy');
    expect(await untilFireIsOver(node, 'busy', second.requestId)).toMatchObject({
      status: 'skipped',
      origin: 'manual',
    });
    work.gate.open();
    expect(await untilFireIsOver(node, 'busy', first.requestId)).toMatchObject({ status: 'succeeded' });
    expect(work.of('busy')).toHaveLength(1);
  });

  it('lets runs overlap where the schedule allows it', async () => {
    await create('in parallel', { concurrencyPolicy: 'allow' });
    await clock.moveBy(MINUTE_MS);
    await untilStarted('in parallel');
    await clock.moveBy(MINUTE_MS);
    await untilStarted('in parallel', 2);
    expect(work.returned).toBeLessThan(work.executions.length);
    work.gate.open();
    const runs = await untilOver(node, 'in parallel', 2);
    expect(runs.map(({ status }) => status)).toEqual(['succeeded', 'succeeded']);
  });

  it('lets a catch-up be skipped like any other fire while a run is active', async () => {
    await create('behind');
    await clock.moveBy(MINUTE_MS);
    await untilStarted('behind');
    await clock.moveBy(10 * MINUTE_MS);
    await untilOver(node, 'behind', 2);
    work.gate.open();
    const runs = await untilOver(node, 'behind', 3);
    expect(runs.map(summary).toSorted()).toEqual([
      'missed 2030-01-01T00:02:00.000Z (9)',
      'skipped 2030-01-01T00:11:00.000Z',
      'succeeded 2030-01-01T00:01:00.000Z',
    ]);
  });

  it('lets a recovery wait for the active run, without looking for it over and over (scenario 26)', async () => {
    const scheduleId = await create('owed', { trigger: NEVER, recover: true });
    const { requestId } = await node.manager.triggerNow('owed');
    await untilStarted('owed');
    await database.query(
      `insert into crn_fire_request (id, schedule_id, origin, scheduled_at_unix_ms,
         due_at_unix_ms, attempt, recoveries, repeats_run_id, idempotency_key, fires_while_paused, is_queued,
         created_at_unix_ms, created_by)
       values (gen_random_uuid(), $1, 'recovery', $2, $2, 2, 1, gen_random_uuid(), 'the first key', false, false,
         $2, 'system')`,
      [scheduleId, START - MINUTE_MS],
    );
    await create('other', { trigger: NEVER, concurrencyPolicy: 'allow' });
    for (let pass = 0; pass < 5; pass += 1) {
      expect(await node.engine.runOnce()).toEqual({ started: 0, journaled: 0 });
    }
    await node.manager.triggerNow('other');
    await untilStarted('other');
    expect(work.of('owed')).toHaveLength(1);

    work.gate.open();
    await untilFireIsOver(node, 'owed', requestId);
    expect((await untilOver(node, 'owed', 2)).at(-1)).toMatchObject({
      status: 'succeeded',
      origin: 'recovery',
      attempt: 2,
      idempotencyKey: 'the first key',
      scheduledAtUnixMs: START - MINUTE_MS,
    });
    expect(await runsOf(node, 'owed', 'skipped')).toEqual([]);
  });
});
