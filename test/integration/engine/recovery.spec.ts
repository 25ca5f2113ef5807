import { Logger } from '@nestjs/common';
import {
  type CronStoreOptions,
  every,
  RUN_ABANDONED_EVENT,
  RUN_FAILED_EVENT,
  RUN_SUCCEEDED_EVENT,
  RunAbortedError,
  type RunAbandonedEvent,
  type RunEvent,
  type ScheduleSpec,
} from '../../../lib/index.js';
import { createTestDatabase, type TestDatabase, untilTrue } from '../../support/database.js';
import { MovedClock } from '../../support/moved-clock.js';
import { startStoreApp, type StoreApp } from '../../support/store-app.js';
import { GatedJob } from './support/jobs.js';
import { NEVER, runsOf, untilFireIsOver, untilOver } from './support/runs.js';

const TIMING: CronStoreOptions = { heartbeatInterval: 400, abandonedAfter: 2_000 };
/** Of nodes that watch each other: a heartbeat may be late by more than a moment. */
const PATIENT: CronStoreOptions = { heartbeatInterval: 500, abandonedAfter: 3_000 };
const HOUR_MS = 3_600_000;

describe('recovery', () => {
  let database: TestDatabase;
  let clock: MovedClock;
  let work: GatedJob;
  let node: StoreApp;
  let abandoned: RunAbandonedEvent[];
  let ended: RunEvent[];
  const others: StoreApp[] = [];

  beforeAll(async () => {
    Logger.overrideLogger(['error']);
    database = await createTestDatabase();
    clock = await MovedClock.on(database);
  });

  beforeEach(async () => {
    work = new GatedJob('work');
    abandoned = [];
    ended = [];
    await start({ ...TIMING, maxRecoveries: 2 });
  });

  async function start(store: CronStoreOptions): Promise<void> {
    node = await startStoreApp({ url: database.url, clock, store, providers: [work.provider] });
    hearAbandoned(node);
    for (const name of [RUN_SUCCEEDED_EVENT, RUN_FAILED_EVENT]) {
      node.events.on(name, (event: RunEvent) => ended.push(event));
    }
  }

  /** Starts two nodes that watch each other, of which the second executes nothing. */
  async function startPair(): Promise<void> {
    await node.close();
    await start(PATIENT);
    const other = await startStoreApp({ url: database.url, clock, store: PATIENT });
    others.push(other);
    hearAbandoned(other);
  }

  function hearAbandoned({ events }: StoreApp): void {
    events.on(RUN_ABANDONED_EVENT, (event: RunAbandonedEvent) => abandoned.push(event));
  }

  afterEach(async () => {
    work.gate.open();
    await Promise.all([node, ...others.splice(0)].map((each) => each.close()));
    await database.empty('crn_schedule', 'crn_schedule_name', 'crn_fire_request', 'crn_run', 'crn_node');
  });

  afterAll(async () => {
    await database.drop();
    Logger.overrideLogger(['error', 'warn', 'log']);
  });

  async function create(name: string, spec: Partial<ScheduleSpec> = {}): Promise<string> {
    const { id } = await node.manager.create({ name, jobName: 'work', trigger: NEVER, ...spec });
    return id;
  }

  /** Fires and waits until so many handlers of the schedule have begun. */
  async function fireAndHold(name: string, count = 1): Promise<void> {
    await node.manager.triggerNow(name);
    await untilBegun(name, count);
  }

  async function untilBegun(name: string, count: number): Promise<void> {
    await untilTrue(`${count} handlers of ${name} have begun`, () => work.of(name).length >= count);
  }

  /** A run as a node leaves it that was killed: running, and its heartbeat long ago. */
  async function leaveBehind(
    scheduleId: string,
    at: number,
    query: (sql: string, values: unknown[]) => Promise<unknown> = database.query,
  ): Promise<void> {
    await query(
      `insert into crn_run (id, schedule_id, schedule_name, job_name, origin, scheduled_at_unix_ms,
         occurrence_at_unix_ms,         claimed_at_unix_ms, status, node_id, heartbeat_at_unix_ms, missed_count, attempt, recoveries,
         idempotency_key, created_at_unix_ms, created_by)
       select (lpad(to_hex($2::bigint), 12, '0') || '70008000' || substr(md5(random()::text), 1, 12))::uuid,
         id, name, job_name, 'schedule', $2, $2, $2, 'running', 'killed', $2, 0, 1, 0, 'key', $2, 'system'
       from crn_schedule where id = $1`,
      [scheduleId, at],
    );
  }

  /** As if the node that executes a run had been killed. */
  async function forsake(name: string): Promise<void> {
    await database.query(
      `update crn_run set node_id = 'killed', heartbeat_at_unix_ms = heartbeat_at_unix_ms - 3600000
       where schedule_name = $1 and status = 'running'`,
      [name],
    );
  }

  it('fires again with the largest `maxRecoveries` that there is', async () => {
    await node.close();
    await start({ ...TIMING, maxRecoveries: 2 ** 31 - 1 });
    await create('lost', { recover: true });
    await fireAndHold('lost');
    await forsake('lost');
    await untilBegun('lost', 2);
    work.gate.open();
    expect(await untilOver(node, 'lost', 2)).toMatchObject([
      { status: 'abandoned' },
      { status: 'succeeded' },
    ]);
  });

  it('leaves a run alone whose heartbeats go on, however long it takes', async () => {
    await startPair();
    await create('long', { recover: true });
    await fireAndHold('long');
    const beats = new Set<number>();
    await untilTrue('heartbeats went on for several times abandonedAfter', async () => {
      const [run] = await runsOf(node, 'long');
      beats.add(run?.heartbeatAtUnixMs ?? 0);
      return Math.max(...beats) - Math.min(...beats) > 7_000;
    });
    work.gate.open();
    expect(await untilOver(node, 'long')).toMatchObject([{ status: 'succeeded', attempt: 1 }]);
    expect(abandoned).toEqual([]);
  });

  it('aborts the handler of a run that was taken over, and drops what it does', async () => {
    await create('lost');
    await fireAndHold('lost');
    await database.query(`update crn_run set status = 'abandoned' where schedule_name = 'lost'`);
    const [execution] = work.of('lost');
    await untilTrue('the signal is aborted', () => execution?.signal.aborted ?? false);
    expect(execution?.signal.reason).toBeInstanceOf(RunAbortedError);
    // It holds its slot until it settles, but no longer counts as a run.
    expect(node.engine.status()).toMatchObject({ running: 0, detached: 1 });

    work.gate.open();
    await untilTrue('the handler has settled', () => node.engine.status().detached === 0);
    const { requestId } = await node.manager.triggerNow('lost');
    await untilFireIsOver(node, 'lost', requestId);
    await untilTrue('the later run is told', () => ended.length > 0);
    expect(await runsOf(node, 'lost')).toMatchObject([{ status: 'abandoned' }, { status: 'succeeded' }]);
    expect(ended.map(({ runId }) => runId)).not.toContain(execution?.runId);
  });

  it('refuses the outcome of a run that was taken over before its handler could know', async () => {
    await create('late');
    await fireAndHold('late');
    await database.query(
      `update crn_run set node_id = 'another', heartbeat_at_unix_ms = 9999999999999 where schedule_name = 'late'`,
    );
    work.gate.open();
    await untilTrue('the handler has settled', () => node.engine.status().running === 0);
    await create('witness');
    const { requestId } = await node.manager.triggerNow('witness');
    await untilFireIsOver(node, 'witness', requestId);
    expect(await runsOf(node, 'late')).toMatchObject([{ status: 'running', nodeId: 'another' }]);
    await untilTrue('the witness is told', () => ended.length > 0);
    expect(ended.map(({ scheduleName }) => scheduleName)).toEqual(['witness']);
  });

  it('fires an abandoned run again with its logical time and its key, once', async () => {
    const now = await clock.now();
    work.gate.open();
    others.push(await startStoreApp({ url: database.url, clock, store: TIMING }));
    const id = await create('owed', { recover: true });
    await leaveBehind(id, now - HOUR_MS);
    const runs = await untilOver(node, 'owed', 2);
    expect(runs).toMatchObject([
      { status: 'abandoned', error: 'The node killed stopped heartbeating.', nodeId: 'killed', attempt: 1 },
      { status: 'succeeded', origin: 'recovery', attempt: 2 },
    ]);
    expect(new Set(runs.map((run) => run.scheduledAtUnixMs))).toEqual(new Set([now - HOUR_MS]));
    expect(new Set(runs.map((run) => run.idempotencyKey))).toEqual(new Set(['key']));
    await untilTrue('it is told', () => ended.length > 0);
    await untilIdle();
    expect(await runsOf(node, 'owed')).toHaveLength(2);
  });

  it('does not fire an abandoned run again without `recover`', async () => {
    const id = await create('not owed', { recover: false });
    await leaveBehind(id, await clock.now());
    await untilTrue('it is told', () => abandoned.length > 0);
    expect(abandoned).toMatchObject([{ scheduleName: 'not owed', nodeId: 'killed', willRecover: false }]);
    await untilIdle();
    expect(await runsOf(node, 'not owed')).toMatchObject([{ status: 'abandoned' }]);
  });

  it('abandons the run of a schedule that was deleted', async () => {
    await create('deleted', { recover: true });
    await fireAndHold('deleted');
    await node.manager.delete('deleted');
    await forsake('deleted');
    await untilTrue('it is told', () => abandoned.length > 0);
    expect(abandoned).toMatchObject([{ scheduleName: 'deleted', willRecover: false }]);
    expect(await database.query('select from crn_fire_request')).toEqual([]);
  });

  it('gives a run up after maxRecoveries crashes, and says so', async () => {
    await create('killer', { recover: true });
    await fireAndHold('killer');
    for (const crash of [1, 2, 3]) {
      await untilBegun('killer', crash);
      await forsake('killer');
      await untilTrue('it is abandoned', () => abandoned.length === crash);
    }
    await untilIdle();
    expect(abandoned.map(({ attempt, willRecover }) => [attempt, willRecover])).toEqual([
      [1, true],
      [2, true],
      [3, false],
    ]);
    const runs = await runsOf(node, 'killer');
    expect(runs.map(({ status, attempt }) => [status, attempt])).toEqual([
      ['abandoned', 1],
      ['abandoned', 2],
      ['abandoned', 3],
    ]);
    expect(new Set(runs.map((run) => run.idempotencyKey)).size).toBe(1);
    expect(new Set(runs.map((run) => run.scheduledAtUnixMs)).size).toBe(1);

    // The next fire starts over: it is another occurrence.
    work.gate.open();
    const { requestId } = await node.manager.triggerNow('killer');
    expect(await untilFireIsOver(node, 'killer', requestId)).toMatchObject({
      status: 'succeeded',
      attempt: 1,
    });
  });

  it('gives each attempt a larger fence, by which a guarded write shuts out the one that was taken over', async () => {
    await database.query('create table guarded (value text not null, fence bigint not null)');
    await database.query(`insert into guarded values ('nobody', 0)`);
    const write = (value: string, fence: number) =>
      database.query('update guarded set value = $1, fence = $2 where fence < $2 returning value', [
        value,
        fence,
      ]);
    await create('fenced', { recover: true });
    await fireAndHold('fenced');
    await forsake('fenced');
    await untilBegun('fenced', 2);
    const [first, second] = work.of('fenced').map(({ fence }) => fence);
    expect(await write('second', Number(second))).toHaveLength(1);
    expect(await write('first, late', Number(first))).toHaveLength(0);
    expect(await database.query('select value from guarded')).toEqual([{ value: 'second' }]);
    work.gate.open();
    await untilIdle();
  });

  it('waits while its schedule is paused', async () => {
    work.gate.open();
    const id = await create('paused', { recover: true });
    await node.manager.pause('paused');
    await leaveBehind(id, await clock.now());
    await untilTrue('it is abandoned', () => abandoned.length > 0);
    expect(abandoned).toMatchObject([{ willRecover: true }]);
    await untilIdle();
    expect(await runsOf(node, 'paused')).toHaveLength(1);
    await node.manager.resume('paused');
    expect(await untilOver(node, 'paused', 2)).toMatchObject([
      {},
      { origin: 'recovery', status: 'succeeded' },
    ]);
  });

  it('waits under forbid while a run is active, and lets the regular fires be skipped', async () => {
    const id = await create('one at a time', { recover: true });
    await fireAndHold('one at a time');
    await leaveBehind(id, await clock.now());
    await untilTrue('it is abandoned', () => abandoned.length > 0);
    await untilIdle();
    expect(work.of('one at a time')).toHaveLength(1);
    work.gate.open();
    const runs = await untilOver(node, 'one at a time', 3);
    expect(runs.map(({ origin, status }) => `${origin} ${status}`).toSorted()).toEqual([
      'manual succeeded',
      'recovery succeeded',
      'schedule abandoned',
    ]);
  });

  it('takes a stale run over before it lets an occurrence be skipped for it', async () => {
    work.gate.open();
    await node.close();
    // A node that may be late by more than a moment without ceasing to be vigilant.
    await start({ heartbeatInterval: '2s', abandonedAfter: '4s' });
    await untilVigilant();
    const id = await create('blocked', { trigger: every('1h') });
    const now = await clock.now();
    await node.dataSource.transaction(async ({ queryRunner }) => {
      await leaveBehind(id, now - HOUR_MS, async (sql, values) => queryRunner?.query(sql, values));
      await queryRunner?.query('update crn_schedule set next_fire_at_unix_ms = $2 where id = $1', [id, now]);
    });
    const runs = await untilOver(node, 'blocked', 2);
    expect(runs.map(({ status }) => status)).not.toContain('skipped');
    await untilTrue('it is told', () => abandoned.length > 0);
    expect(abandoned).toHaveLength(1);
  });

  it('declares nobody dead when the clock of the store leaps ahead', async () => {
    await startPair();
    await create('alive', { recover: true });
    await fireAndHold('alive');
    await untilVigilant();
    await clock.moveBy(24 * HOUR_MS);
    await untilTrue('the run has beaten since', async () => {
      const [run] = await runsOf(node, 'alive');
      return (await clock.now()) - (run?.heartbeatAtUnixMs ?? 0) < HOUR_MS;
    });
    work.gate.open();
    expect(await untilOver(node, 'alive')).toMatchObject([{ status: 'succeeded' }]);
    expect(abandoned).toEqual([]);
  });

  /** Until a node has been watching for long enough to declare others dead. */
  async function untilVigilant(): Promise<void> {
    const { id } = await node.manager.create({ name: 'canary', jobName: 'work', trigger: NEVER });
    await leaveBehind(id, 1_000);
    await untilTrue('a stale run is abandoned', () =>
      abandoned.some(({ scheduleName }) => scheduleName === 'canary'),
    );
    abandoned.length = 0;
  }

  /** Until the engine has looked several times more, and found nothing to do. */
  async function untilIdle(): Promise<void> {
    for (let passes = 0; passes < 5;) {
      const { started, journaled } = await node.engine.runOnce();
      passes = started + journaled === 0 ? passes + 1 : 0;
    }
  }
});
