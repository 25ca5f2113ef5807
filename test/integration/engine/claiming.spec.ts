import { jest } from '@jest/globals';
import { every, once } from '../../../lib/index.js';
import { CRON_STORE_STORAGE, type Storage } from '../../../lib/storage/index.js';
import { createTestDatabase, type TestDatabase, untilTrue } from '../../support/database.js';
import { MovedClock } from '../../support/moved-clock.js';
import { startStoreApp, type StoreApp } from '../../support/store-app.js';
import { GatedJob, job } from './support/jobs.js';
import { fire, NEVER, runsOf, summary, untilOver } from './support/runs.js';

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const START = Date.parse('2030-01-01T00:00:00Z');

describe('claiming', () => {
  let database: TestDatabase;
  let clock: MovedClock;
  const open: StoreApp[] = [];

  beforeAll(async () => {
    database = await createTestDatabase();
    clock = await MovedClock.on(database);
  });

  beforeEach(async () => {
    await clock.freezeAt(START);
  });

  afterEach(async () => {
    const [node] = open;
    for (const { name } of (await node?.manager.list()) ?? []) {
      await node?.manager.delete(name);
    }
    await Promise.all(open.splice(0).map((each) => each.close()));
    await database.query('truncate crn_run');
  });

  afterAll(async () => {
    await database.drop();
  });

  async function start(given: Omit<Parameters<typeof startStoreApp>[0], 'url' | 'clock'>): Promise<StoreApp> {
    const node = await startStoreApp({ url: database.url, clock, ...given });
    open.push(node);
    return node;
  }

  /** Waits until a node has sent so many heartbeats more. */
  async function untilBeaten({ engine }: StoreApp, count: number): Promise<void> {
    const beats = new Set<string>();
    await untilTrue(`${count} heartbeats more`, async () => {
      const rows = await database.query<{ version: string }>(
        'select xmin::text as version from crn_node where id = $1',
        [engine.status().nodeId],
      );
      rows.forEach(({ version }) => beats.add(version));
      return beats.size > count;
    });
  }

  it('gives nodes of one process different ids', async () => {
    const nodes = await Promise.all([1, 2, 3].map(() => start({})));
    const ids = nodes.map(({ engine }) => engine.status().nodeId);
    expect(new Set(ids).size).toBe(3);
    await untilTrue('all of them have announced themselves', async () => {
      const rows = await database.query('select from crn_node where id = any($1)', [ids]);
      return rows.length === 3;
    });
  });

  it('claims one run for each occurrence and each request, with two nodes at it', async () => {
    const [node, other] = await Promise.all([
      start({ providers: [job('work', () => undefined)] }),
      start({ providers: [job('work', () => undefined)] }),
    ]);
    await node.manager.create({
      name: 'raced',
      jobName: 'work',
      trigger: every('1m'),
      concurrencyPolicy: 'allow',
    });
    for (let round = 1; round <= 20; round += 1) {
      await Promise.all([
        clock.moveBy(MINUTE_MS),
        other.manager.triggerNow('raced'),
        node.engine.runOnce(),
        other.engine.runOnce(),
      ]);
      await untilOver(node, 'raced', 2 * round);
    }
    const runs = await runsOf(node, 'raced');
    expect(runs).toHaveLength(40);
    expect(runs.filter(({ origin }) => origin === 'manual')).toHaveLength(20);
    expect(
      runs.filter(({ origin }) => origin === 'schedule').map(({ scheduledAtUnixMs }) => scheduledAtUnixMs),
    ).toEqual(Array.from({ length: 20 }, (_, index) => START + (index + 1) * MINUTE_MS));
  });

  it('numbers the runs of a schedule in the order of their claims, whichever node claims them', async () => {
    const fences: number[] = [];
    const work = () => job('work', ({ fence }) => void fences.push(fence));
    const [node, other] = await Promise.all([start({ providers: [work()] }), start({ providers: [work()] })]);
    await node.manager.create({
      name: 'numbered',
      jobName: 'work',
      trigger: every('1m'),
      concurrencyPolicy: 'queue',
    });
    for (let round = 1; round <= 10; round += 1) {
      await Promise.all([
        clock.moveBy(MINUTE_MS),
        other.manager.triggerNow('numbered'),
        node.engine.runOnce(),
        other.engine.runOnce(),
      ]);
      await untilOver(node, 'numbered', 2 * round);
    }
    expect(fences).toHaveLength(20);
    expect(new Set(fences).size).toBe(20);
    expect(fences).toEqual(fences.toSorted((left, right) => left - right));
  });

  it('puts the regular occurrence before a request of the same instant', async () => {
    const node = await start({ providers: [job('work', () => undefined)] });
    const { id } = await node.manager.create({ name: 'tied', jobName: 'work', trigger: every('1m') });
    await node.manager.triggerNow('tied');
    await untilOver(node, 'tied');
    await node.manager.pause('tied');
    await clock.moveBy(MINUTE_MS);
    await database.query(
      `insert into crn_fire_request (id, schedule_id, origin, scheduled_at_unix_ms,
         due_at_unix_ms, attempt, recoveries, idempotency_key, fires_while_paused, is_queued, created_at_unix_ms,
         created_by)
       values (gen_random_uuid(), $1, 'manual', $2, $2, 1, 0, 'tie', false, false, $2, 'operator')`,
      [id, START + MINUTE_MS],
    );
    await node.manager.resume('tied');
    const [, ...tied] = await untilOver(node, 'tied', 3);
    expect(tied).toMatchObject([
      { origin: 'schedule', status: 'succeeded', scheduledAtUnixMs: START + MINUTE_MS },
      { origin: 'manual', status: 'skipped', scheduledAtUnixMs: START + MINUTE_MS, createdBy: 'operator' },
    ]);
  });

  it('leaves the regular fire alone when a manual one comes before and after it (scenario 11)', async () => {
    const node = await start({ providers: [job('work', () => undefined)] });
    await node.manager.create({ name: 'regular', jobName: 'work', trigger: every('1m') });
    await clock.freezeAt(START + MINUTE_MS - 10 * SECOND_MS);
    await fire(node, 'regular');
    expect((await node.manager.get('regular')).schedule.nextFireAtUnixMs).toBe(START + MINUTE_MS);
    await clock.freezeAt(START + MINUTE_MS);
    await untilOver(node, 'regular', 2);
    await clock.freezeAt(START + MINUTE_MS + 10 * SECOND_MS);
    await fire(node, 'regular');
    expect((await node.manager.get('regular')).schedule.nextFireAtUnixMs).toBe(START + 2 * MINUTE_MS);
    expect(
      (await runsOf(node, 'regular')).map(({ origin, scheduledAtUnixMs }) => [
        origin,
        scheduledAtUnixMs - START,
      ]),
    ).toEqual([
      ['manual', 50 * SECOND_MS],
      ['schedule', 60 * SECOND_MS],
      ['manual', 70 * SECOND_MS],
    ]);
  });

  it('leaves a schedule alone whose job is registered on another node only', async () => {
    const worker = await start({ providers: [job('work', () => undefined), job('other', () => undefined)] });
    await worker.manager.create({ name: 'elsewhere', jobName: 'work', trigger: every('1m') });
    await worker.manager.create({ name: 'here', jobName: 'other', trigger: every('1m') });
    await worker.manager.create({ name: 'requested', jobName: 'work', trigger: NEVER });
    const bystander = await start({ providers: [job('other', () => undefined)] });
    await worker.close();
    await bystander.manager.triggerNow('requested');

    await clock.moveBy(5 * MINUTE_MS);
    await untilOver(bystander, 'here');
    await bystander.engine.runOnce();
    expect(await runsOf(bystander, 'elsewhere')).toEqual([]);
    expect(await runsOf(bystander, 'requested')).toEqual([]);
    expect((await bystander.manager.get('elsewhere')).schedule).toMatchObject({
      state: 'armed',
      nextFireAtUnixMs: START + MINUTE_MS,
    });

    const returned = await start({ providers: [job('work', () => undefined)] });
    expect((await untilOver(returned, 'elsewhere', 2)).map(summary).toSorted()).toEqual([
      'missed 2030-01-01T00:01:00.000Z (4)',
      'succeeded 2030-01-01T00:05:00.000Z',
    ]);
    await untilOver(returned, 'requested');
    open.splice(open.indexOf(worker), 1);
  });

  it('is not held up by schedules at the head of the queue that fail', async () => {
    const node = await start({
      store: { maxConcurrent: 4 },
      providers: [
        job('fail', () => {
          throw new Error('always');
        }),
        job('work', () => undefined),
      ],
    });
    for (let index = 0; index < 60; index += 1) {
      await node.manager.create({
        name: `failing ${index}`,
        jobName: 'fail',
        trigger: once(START + SECOND_MS + index),
      });
    }
    for (let index = 0; index < 5; index += 1) {
      await node.manager.create({
        name: `healthy ${index}`,
        jobName: 'work',
        trigger: once(START + 2 * SECOND_MS),
        misfirePolicy: 'skip',
      });
    }
    await clock.moveBy(30 * SECOND_MS);
    for (let index = 0; index < 5; index += 1) {
      expect(await untilOver(node, `healthy ${index}`)).toMatchObject([{ status: 'succeeded' }]);
    }
    await untilTrue(
      'all of the others have failed',
      async () => (await node.manager.listRuns({ statuses: ['failed'], jobName: 'fail' })).length === 60,
    );
  });

  it.each([
    { maxConcurrent: 3, batchSize: 3, order: 'the oldest first' },
    // While batches are full, one claim is decided while another is written.
    { maxConcurrent: 6, batchSize: 2, order: 'two claims side by side' },
  ])('runs everything that is due within $maxConcurrent slots, $order', async ({ order, ...store }) => {
    let current = 0;
    let most = 0;
    const started: number[] = [];
    const node = await start({
      store,
      providers: [
        job('work', async ({ scheduledAtUnixMs }) => {
          current += 1;
          most = Math.max(most, current);
          started.push(scheduledAtUnixMs);
          await new Promise((resolve) => setImmediate(resolve));
          current -= 1;
        }),
      ],
    });
    const instants = Array.from({ length: 50 }, (_, index) => START + 1 + index);
    // In an order that is neither theirs nor its reverse.
    for (const at of instants.toSorted((left, right) => (left % 7) - (right % 7))) {
      await node.manager.create({ name: `at ${at}`, jobName: 'work', trigger: once(at) });
    }
    await clock.moveBy(SECOND_MS);
    await untilTrue(
      'all have succeeded',
      async () => (await node.manager.listRuns({ statuses: ['succeeded'], jobName: 'work' })).length === 50,
    );
    const inOrder = order === 'the oldest first' ? started : started.toSorted((left, right) => left - right);
    expect(inOrder).toEqual(instants);
    expect(most).toBeLessThanOrEqual(store.maxConcurrent);
    expect(node.engine.status()).toMatchObject({ slots: store.maxConcurrent, detached: 0 });
  });

  it('never claims beyond its free slots: another node takes the rest', async () => {
    const [work, otherWork] = [new GatedJob('work'), new GatedJob('work')];
    const node = await start({ store: { maxConcurrent: 2 }, providers: [work.provider] });
    for (let index = 0; index < 5; index += 1) {
      await node.manager.create({
        name: `queued ${index}`,
        jobName: 'work',
        trigger: once(START + 1 + index),
      });
    }
    await clock.moveBy(SECOND_MS);
    await untilTrue('both slots are taken', () => work.executions.length === 2);
    expect(await node.engine.runOnce()).toEqual({ started: 0, journaled: 0 });
    expect(node.engine.status()).toMatchObject({ slots: 2, running: 2 });
    expect(await node.manager.listRuns({ jobName: 'work' })).toHaveLength(2);

    await start({ providers: [otherWork.provider] });
    await untilTrue('the rest runs elsewhere', () => otherWork.executions.length === 3);
    expect(work.executions).toHaveLength(2);
    work.gate.open();
    otherWork.gate.open();
  });

  it('goes on claiming while handlers hold every connection of the application', async () => {
    const work = new GatedJob('quick');
    work.gate.open();
    const held: { release(): Promise<void> }[] = [];
    const node = await start({
      providers: [
        work.provider,
        job('hoard', async () => {
          const runners = Array.from({ length: 10 }, () => node.dataSource.createQueryRunner());
          await Promise.all(runners.map((runner) => runner.connect()));
          held.push(...runners);
        }),
      ],
    });
    await node.manager.create({ name: 'hoarder', jobName: 'hoard', trigger: NEVER });
    await node.manager.create({ name: 'others', jobName: 'quick', trigger: every('1m') });
    expect(await fire(node, 'hoarder')).toMatchObject({ status: 'succeeded' });
    const starved = node.dataSource.query('select 1');

    await clock.moveBy(MINUTE_MS);
    expect(await untilOver(node, 'others')).toMatchObject([{ status: 'succeeded' }]);
    await untilBeaten(node, 3);
    await Promise.all(held.map((runner) => runner.release()));
    await starved;
  });

  it('sleeps until a fire that is months away, without looking again and again (scenario 6)', async () => {
    await clock.freezeAt(Date.parse('2030-04-29T00:00:00Z'));
    const node = await start({
      // No wake-ups, and a poll interval beyond what a timer takes: only the sleep itself ends the sleep.
      store: { listen: false, pollInterval: 400 * 24 * 60 * MINUTE_MS },
      providers: [
        job(
          {
            name: 'work',
            defaultSchedule: { name: 'next spring', trigger: { kind: 'cron', expr: '0 9 1 3 *' } },
          },
          () => undefined,
        ),
      ],
    });
    const looks = jest.spyOn(node.app.get<Storage>(CRON_STORE_STORAGE).agenda, 'read');
    expect((await node.manager.get('next spring')).schedule.nextFireAtUnixMs).toBe(
      Date.parse('2031-03-01T09:00:00Z'),
    );
    await untilBeaten(node, 5);
    expect(looks.mock.calls.length).toBeLessThanOrEqual(1);
    expect(await runsOf(node, 'next spring')).toEqual([]);

    await clock.freezeAt(Date.parse('2031-03-01T09:00:00Z'));
    await node.engine.runOnce();
    expect(await untilOver(node, 'next spring')).toMatchObject([{ status: 'succeeded' }]);
  });

  describe('when a schedule changes between the look of a claim and its lock', () => {
    const GATE = 4_711;

    /**
     * Stops every claim after it has taken its snapshot and before it locks a row, as long as the test holds the
     * gate: an advisory lock that a function in the path of the claim asks for.
     */
    async function withClaimsHeldUp(node: StoreApp, name: string, change: string): Promise<void> {
      const holder = node.dataSource.createQueryRunner();
      await holder.connect();
      await database.query('alter table crn_schedule rename to crn_schedule_behind');
      await database.query(`
        create function wait_at_gate() returns boolean language plpgsql volatile cost 1000000 as $$
        begin
          if current_query() like '%skip locked%' then
            perform pg_advisory_xact_lock_shared(${GATE});
          end if;
          return true;
        end $$`);
      await database.query(
        'create view crn_schedule as select * from crn_schedule_behind where wait_at_gate()',
      );
      try {
        await holder.query(`select pg_advisory_lock(${GATE})`);
        await clock.moveBy(MINUTE_MS);
        await untilTrue('a claim waits at the gate', async () => {
          const waiting = await database.query(
            `select from pg_stat_activity
             where wait_event = 'advisory' and datname = current_database()`,
          );
          return waiting.length > 0;
        });
        await database.query(`${change} where name = $1`, [name]);
      } finally {
        await holder.query(`select pg_advisory_unlock(${GATE})`);
        await holder.release();
      }
      await untilTrue('no claim is under way', async () => {
        const claims = await database.query(
          `select from pg_stat_activity
           where state <> 'idle' and query like '%skip locked%' and datname = current_database()
             and pid <> pg_backend_pid()`,
        );
        return claims.length === 0;
      });
      await database.query('drop view crn_schedule');
      await database.query('drop function wait_at_gate');
      await database.query('alter table crn_schedule_behind rename to crn_schedule');
    }

    it.each([
      ['paused', 'update crn_schedule_behind set is_enabled = false'],
      ['deleted', 'delete from crn_schedule_behind'],
      ['advanced by another node', 'update crn_schedule_behind set next_fire_at_unix_ms = null'],
      ['parked', `update crn_schedule_behind set parked_reason = 'by hand'`],
      ['given to another job', `update crn_schedule_behind set job_name = 'other'`],
    ])('does not fire one that was %s (scenario 12)', async (_, change) => {
      const node = await start({ providers: [job('work', () => undefined)] });
      await node.manager.create({ name: 'contested', jobName: 'work', trigger: every('1m') });
      await node.manager.create({ name: 'bystander', jobName: 'work', trigger: every('1m') });
      await withClaimsHeldUp(node, 'contested', change);
      await untilOver(node, 'bystander');
      await node.engine.runOnce();
      expect(await node.manager.listRuns({ scheduleName: 'contested' })).toEqual([]);
      expect(await runsOf(node, 'bystander')).toHaveLength(1);
    });
  });
});
