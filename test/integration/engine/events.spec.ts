import { channel } from 'node:diagnostics_channel';
import { Logger } from '@nestjs/common';
import type { EventEmitter2 } from '@nestjs/event-emitter';
import {
  every,
  RUN_ABANDONED_EVENT,
  RUN_CANCELED_EVENT,
  RUN_FAILED_EVENT,
  RUN_MISSED_EVENT,
  RUN_SKIPPED_EVENT,
  RUN_STARTED_EVENT,
  RUN_SUCCEEDED_EVENT,
  type RunEvent,
  type RunEventName,
} from '../../../lib/index.js';
import { createTestDatabase, type TestDatabase, untilTrue } from '../../support/database.js';
import { MovedClock } from '../../support/moved-clock.js';
import { startStoreApp, type StoreApp } from '../../support/store-app.js';
import { GatedJob, job } from './support/jobs.js';
import { fire, NEVER, untilFireIsOver, untilOver } from './support/runs.js';

const NAMES: readonly RunEventName[] = [
  RUN_STARTED_EVENT,
  RUN_SUCCEEDED_EVENT,
  RUN_FAILED_EVENT,
  RUN_MISSED_EVENT,
  RUN_SKIPPED_EVENT,
  RUN_CANCELED_EVENT,
  RUN_ABANDONED_EVENT,
];

interface Told {
  readonly name: RunEventName;
  readonly event: RunEvent;
  /** The status that the journal had when the event arrived. */
  readonly journaled: Promise<string | undefined>;
}

/** What every event tells about its run. */
function factsOf({ scheduleName, ...more }: Partial<RunEvent> & { readonly scheduleName: string }) {
  return {
    store: 'default',
    runId: expect.any(String),
    scheduleId: expect.any(String),
    scheduleName,
    jobName: 'work',
    origin: 'manual',
    attempt: 1,
    scheduledAtUnixMs: expect.any(Number),
    ...more,
  };
}

describe('events', () => {
  let database: TestDatabase;
  let clock: MovedClock;
  let node: StoreApp;
  let told: Told[] = [];
  let mirrored: RunEvent[] = [];
  const work = new GatedJob('work');
  const onMirrored = (message: unknown) => mirrored.push(message as RunEvent);

  beforeAll(async () => {
    database = await createTestDatabase();
    clock = await MovedClock.on(database);
    NAMES.forEach((name) => channel(name).subscribe(onMirrored));
    await start();
  });

  beforeEach(() => {
    told = [];
    mirrored = [];
    work.gate.close();
  });

  afterEach(async () => {
    work.gate.open();
    for (const { name } of await node.manager.list()) {
      await node.manager.delete(name);
    }
  });

  afterAll(async () => {
    NAMES.forEach((name) => channel(name).unsubscribe(onMirrored));
    await node.close();
    await database.drop();
  });

  async function start(): Promise<void> {
    node = await startStoreApp({
      url: database.url,
      clock,
      store: { shutdownTimeout: 0, abortGrace: 0, heartbeatInterval: 500, abandonedAfter: 2_500 },
      providers: [
        work.provider,
        job('fail', () => {
          throw new Error('no route to host');
        }),
      ],
    });
    for (const name of NAMES) {
      node.events.on(name, (event: RunEvent) => told.push({ name, event, journaled: statusOf(event.runId) }));
    }
  }

  async function statusOf(runId: string): Promise<string | undefined> {
    const rows = await database.query<{ status: string }>('select status from crn_run where id = $1', [
      runId,
    ]);
    return rows[0]?.status;
  }

  /** Waits for an event of a schedule: those of an earlier test may still come. */
  async function untilTold(name: RunEventName, scheduleName: string): Promise<Told> {
    const find = () => told.find((each) => each.name === name && each.event.scheduleName === scheduleName);
    await untilTrue(`${name} is told`, () => find() !== undefined);
    const found = find();
    if (found === undefined) {
      throw new Error('It was there a moment ago.');
    }
    return found;
  }

  async function create(name: string, spec: object = {}): Promise<void> {
    await node.manager.create({ name, jobName: 'work', trigger: NEVER, ...spec });
  }

  it('tell that a run started and succeeded, in this order and after their commits', async () => {
    await create('fine');
    work.gate.open();
    const run = await fire(node, 'fine');
    const succeeded = await untilTold(RUN_SUCCEEDED_EVENT, 'fine');
    const { nodeId } = node.engine.status();
    expect(told.map(({ name }) => name)).toEqual([RUN_STARTED_EVENT, RUN_SUCCEEDED_EVENT]);
    expect(told[0]?.event).toEqual({ ...factsOf({ scheduleName: 'fine', runId: run.id }), nodeId });
    expect(succeeded.event).toEqual({
      ...factsOf({ scheduleName: 'fine', runId: run.id, scheduledAtUnixMs: run.scheduledAtUnixMs }),
      nodeId,
      durationMs: run.durationMs,
    });
    expect(['running', 'succeeded']).toContain(await told[0]?.journaled);
    expect(await succeeded.journaled).toBe('succeeded');
  });

  it('tell that a run failed, with the error that is journaled', async () => {
    await create('broken', { jobName: 'fail' });
    const run = await fire(node, 'broken');
    const { event, journaled } = await untilTold(RUN_FAILED_EVENT, 'broken');
    expect(event).toEqual({
      ...factsOf({ scheduleName: 'broken', jobName: 'fail', runId: run.id }),
      nodeId: node.engine.status().nodeId,
      error: 'no route to host',
      willRetry: false,
    });
    expect(run.error).toBe('no route to host');
    expect(await journaled).toBe('failed');
  });

  it('tell what was missed, once for a whole gap', async () => {
    await clock.freezeAt(Date.parse('2030-01-01T00:00:00Z'));
    await create('late', { trigger: every('1m'), misfirePolicy: 'skip' });
    await clock.freezeAt(Date.parse('2030-01-01T00:10:00Z'));
    const [run] = await untilOver(node, 'late');
    const { event, journaled } = await untilTold(RUN_MISSED_EVENT, 'late');
    expect(event).toEqual({
      ...factsOf({ scheduleName: 'late', runId: run?.id ?? '', origin: 'schedule' }),
      scheduledAtUnixMs: Date.parse('2030-01-01T00:01:00Z'),
      missedCount: 10,
    });
    expect(await journaled).toBe('missed');
    expect(told).toHaveLength(1);
  });

  it('tell what was skipped', async () => {
    await create('busy');
    await node.manager.triggerNow('busy');
    await untilTrue('a handler runs', () => work.of('busy').length === 1);
    const { requestId } = await node.manager.triggerNow('busy');
    const run = await untilFireIsOver(node, 'busy', requestId);
    const { event, journaled } = await untilTold(RUN_SKIPPED_EVENT, 'busy');
    expect(event).toEqual(factsOf({ scheduleName: 'busy', runId: run.id }));
    expect(await journaled).toBe('skipped');
  });

  it.each([true, false])('tell what shutdown canceled, and whether it runs again (%s)', async (recover) => {
    // A name each: the one that runs again may do so when the next test has begun.
    const name = `interrupted, ${recover}`;
    await create(name, { recover });
    await node.manager.triggerNow(name);
    await untilTrue('a handler runs', () => work.of(name).length > 0);
    const { nodeId } = node.engine.status();
    await node.close();
    const { event, journaled } = await untilTold(RUN_CANCELED_EVENT, name);
    expect(event).toEqual({
      ...factsOf({ scheduleName: name }),
      nodeId,
      willRecover: recover,
    });
    expect(await journaled).toBe('canceled');
    work.gate.open();
    work.executions.length = 0;
    await start();
  });

  it.each([true, false])('tell what was abandoned, and whether it runs again (%s)', async (recover) => {
    await clock.release();
    await create('orphaned', { recover });
    const { schedule } = await node.manager.get('orphaned');
    await database.query(
      `insert into crn_run (id, schedule_id, schedule_name, job_name, origin, scheduled_at_unix_ms,
         claimed_at_unix_ms, status, node_id, heartbeat_at_unix_ms, missed_count, attempt, recoveries,
         idempotency_key, created_at_unix_ms, created_by)
       values (gen_random_uuid(), $1, 'orphaned', 'work', 'manual', 1000, 1000, 'running', 'gone', 1000, 0, 1, 0,
         'key', 1000, 'system')`,
      [schedule.id],
    );
    work.gate.open();
    const { event, journaled } = await untilTold(RUN_ABANDONED_EVENT, 'orphaned');
    expect(event).toEqual({
      ...factsOf({ scheduleName: 'orphaned', scheduledAtUnixMs: 1000 }),
      nodeId: 'gone',
      willRecover: recover,
    });
    expect(await journaled).toBe('abandoned');
    if (recover) {
      await untilTold(RUN_SUCCEEDED_EVENT, 'orphaned');
    }
  });

  it('are mirrored to diagnostics_channel, the same in the same order', async () => {
    await create('mirrored');
    work.gate.open();
    await fire(node, 'mirrored');
    await untilTold(RUN_SUCCEEDED_EVENT, 'mirrored');
    expect(mirrored).toEqual(told.map(({ event }) => event));
    expect(mirrored.every((event) => Object.isFrozen(event))).toBe(true);
  });

  it('arrive in order for every run, however many there are', async () => {
    work.gate.open();
    await create('many', { concurrencyPolicy: 'allow' });
    for (let count = 0; count < 30; count += 1) {
      await node.manager.triggerNow('many');
    }
    await untilTrue('all have ended', () => told.length === 60);
    const runIds = new Set(told.map(({ event }) => event.runId));
    for (const runId of runIds) {
      const names = told.filter(({ event }) => event.runId === runId).map(({ name }) => name);
      expect(names).toEqual([RUN_STARTED_EVENT, RUN_SUCCEEDED_EVENT]);
    }
    expect(runIds.size).toBe(30);
  });

  const harmful: readonly (readonly [string, Parameters<EventEmitter2['on']>[1]])[] = [
    [
      'throws',
      () => {
        throw new Error('listener');
      },
    ],
    ['rejects', () => Promise.reject(new Error('listener'))],
    ['never settles', () => new Promise(() => undefined)],
  ];

  it.each(harmful)('harm nothing where a listener %s', async (_, listener) => {
    Logger.overrideLogger(false);
    NAMES.forEach((name) => node.events.on(name, listener));
    work.gate.open();
    await create('unharmed');
    expect(await fire(node, 'unharmed')).toMatchObject({ status: 'succeeded' });
    expect(await fire(node, 'unharmed')).toMatchObject({ status: 'succeeded' });
    await untilTrue('all is told', () => told.length === 4);
    expect(node.engine.status()).toMatchObject({ state: 'running', running: 0, detached: 0 });
    NAMES.forEach((name) => node.events.off(name, listener));
    Logger.overrideLogger(['error', 'warn', 'log']);
  });
});
