import { jest } from '@jest/globals';
import { Logger, type Provider } from '@nestjs/common';
import { CronStoreEngine, type CronStoreOptions, CronStoreOptionsError, every } from '../../../lib/index.js';
import { CronStoreHealth, type HealthReport, type HealthThresholds } from '../../../lib/health/index.js';
import { HealthStore } from '../../../lib/storage/nodes/health.store.js';
import { DatabaseProxy } from '../../cluster/support/database-proxy.js';
import { ASLEEP, startAsleep } from '../../support/asleep.js';
import { createTestDatabase, type TestDatabase, untilTrue } from '../../support/database.js';
import { MovedClock } from '../../support/moved-clock.js';
import { startStoreApp, type StoreApp } from '../../support/store-app.js';
import { Gate, GatedJob, job } from '../engine/support/jobs.js';
import { NEVER } from '../engine/support/runs.js';

const MINUTE_MS = 60_000;
const START = Date.parse('2030-01-01T00:00:00Z');

/** Long enough for a busy machine. */
const PATIENT: HealthThresholds = { timeout: '30s' };

async function check(node: StoreApp, thresholds: HealthThresholds = PATIENT): Promise<HealthReport> {
  return node.app.get(CronStoreHealth).check(thresholds);
}

/** Waits until a report has these reasons, maybe among others. */
async function untilReasons(
  node: StoreApp,
  reasons: HealthReport['reasons'],
  thresholds: HealthThresholds = PATIENT,
): Promise<HealthReport> {
  let report = await check(node, thresholds);
  await untilTrue(`the reasons are ${reasons.join(', ')}`, async () => {
    report = await check(node, thresholds);
    return reasons.every((reason) => report.reasons.includes(reason));
  });
  return report;
}

describe('CronStoreHealth', () => {
  let database: TestDatabase;
  let clock: MovedClock;
  let way: DatabaseProxy;
  const open: StoreApp[] = [];

  beforeAll(() => {
    Logger.overrideLogger(['error']);
  });

  beforeEach(async () => {
    database = await createTestDatabase();
    clock = await MovedClock.on(database);
    await clock.freezeAt(START);
    way = await DatabaseProxy.open(database.url);
  });

  afterEach(async () => {
    await Promise.all(open.splice(0).map((node) => node.close()));
    await way.close();
    await database.drop();
  });

  afterAll(() => {
    Logger.overrideLogger(['error', 'warn', 'log']);
  });

  async function start(store: CronStoreOptions = {}, providers: Provider[] = []): Promise<StoreApp> {
    const node = await startStoreApp({
      url: way.url,
      clock,
      store,
      providers: [CronStoreHealth, ...providers],
    });
    open.push(node);
    return node;
  }

  it('reports a node that works', async () => {
    const node = await start({}, [job('work', () => undefined)]);
    expect(await check(node)).toEqual({
      status: 'up',
      reasons: [],
      state: 'running',
      nodeId: node.engine.status().nodeId,
      lastPassAgeMs: expect.any(Number),
      lagMs: 0,
      slots: 16,
      running: 0,
      detached: 0,
      schemaVersion: expect.stringMatching(/^\d{13}$/),
    });
  });

  it('tells how late the oldest fire is that the node could execute, by the store’s time', async () => {
    const node = await startAsleep(async () => start(ASLEEP, [job('work', () => undefined)]));
    await node.manager.create({ name: 'due', jobName: 'work', trigger: every('2m') });
    await node.manager.create({ name: 'paused', jobName: 'work', trigger: every('1m') });
    await node.manager.pause('paused');
    await node.manager.create({
      name: 'backlog',
      jobName: 'work',
      trigger: every('1m'),
      misfirePolicy: 'backfill',
    });
    await node.manager.create({ name: 'foreign', jobName: 'work', trigger: every('1m') });
    await database.query(`update crn_schedule set job_name = 'elsewhere' where name = 'foreign'`);
    await clock.moveBy(9 * MINUTE_MS);

    expect(await check(node)).toMatchObject({
      status: 'degraded',
      reasons: ['lag_exceeded'],
      lagMs: 7 * MINUTE_MS,
    });
    expect(await check(node, { ...PATIENT, maxLag: '7m' })).toMatchObject({ status: 'up' });
    await node.manager.hold({ jobName: 'work' });
    expect(await check(node)).toMatchObject({ status: 'up', lagMs: 0 });
  });

  it('counts as late neither what waits for a run to end, nor what a pass has just claimed', async () => {
    const work = new GatedJob('work');
    const node = await startAsleep(async () => start(ASLEEP, [work.provider]));
    await node.manager.create({
      name: 'queued',
      jobName: 'work',
      trigger: every('1m'),
      concurrencyPolicy: 'queue',
    });
    await clock.moveBy(MINUTE_MS);
    await node.engine.runOnce();
    await clock.moveBy(MINUTE_MS);
    await node.engine.runOnce();
    await clock.moveBy(10_000);
    expect(await check(node)).toMatchObject({ status: 'up', running: 1, lagMs: 0 });
    work.gate.open();
  });

  it.each<[string, () => Promise<void> | void]>([
    ['answers nothing', () => way.blackHole()],
    ['refuses connections', () => way.refuse()],
  ])('is red while the database %s, answers in time, and says no more than that', async (_fault, harm) => {
    const node = await start({}, [job('work', () => undefined)]);
    await harm();
    // The first may still be asked on a connection that is open.
    const report = await untilReasons(node, ['database_unreachable'], { timeout: 200 });
    expect(report).toMatchObject({ status: 'down', nodeId: node.engine.status().nodeId });
    expect(report).not.toHaveProperty('lagMs');
    const { hostname, port, username } = new URL(way.url);
    for (const secret of [hostname, `:${port}`, username, 'select', 'ECONN']) {
      expect(JSON.stringify({ ...report, nodeId: '' })).not.toContain(secret);
    }
    way.passOn();
    await way.close();
    await way.accept();
    await untilTrue('it is up again', async () => (await check(node)).status === 'up');
  });

  it('is red where the database answers with an error, and does not repeat it', async () => {
    const node = await startAsleep(async () => start(ASLEEP, [job('work', () => undefined)]));
    await database.query('alter table crn_fire_request rename to confidential');
    const report = await check(node);
    // A claim may have been refused as well meanwhile.
    expect(report).toMatchObject({ status: 'down', reasons: expect.arrayContaining(['database_refused']) });
    expect(JSON.stringify(report)).not.toContain('crn_');
  });

  it('asks the database once for checks at the same time', async () => {
    const node = await startAsleep(async () => start(ASLEEP, [job('work', () => undefined)]));
    const reads = jest.spyOn(HealthStore.prototype, 'read');
    try {
      await Promise.all([check(node), check(node), check(node)]);
      expect(reads).toHaveBeenCalledTimes(1);
      await check(node);
      expect(reads).toHaveBeenCalledTimes(2);
    } finally {
      reads.mockRestore();
    }
  });

  it('is yellow while something fails and is tried again', async () => {
    const node = await start({}, [job('work', () => undefined)]);
    await database.query('alter table crn_node rename to crn_node_away');
    expect(await untilReasons(node, ['heartbeat_failed'])).toMatchObject({
      status: 'degraded',
      state: 'degraded',
    });
    await database.query('alter table crn_node_away rename to crn_node');
    await untilTrue('it is up again', async () => (await check(node)).status === 'up');
  });

  it('is red when no pass has succeeded for too long', async () => {
    const node = await start({}, [job('work', () => undefined)]);
    await database.query('alter table crn_backfill rename to crn_backfill_away');
    const thresholds = { ...PATIENT, maxPassAge: 300 };
    // A pass that only takes its time is overdue as well, before one has failed.
    expect(await untilReasons(node, ['pass_overdue', 'claim_failed'], thresholds)).toMatchObject({
      status: 'down',
      reasons: ['pass_overdue', 'claim_failed'],
    });
    await database.query('alter table crn_backfill_away rename to crn_backfill');
    await untilTrue('it is up again', async () => (await check(node, thresholds)).status === 'up');
  });

  it('tells handlers that go on although their run is over, and is red when they hold every slot', async () => {
    const never = new Gate();
    const node = await start({ maxConcurrent: 2, abortGrace: 0 }, [job('work', () => never.pass())]);
    for (const [name, reasons] of [
      ['first', ['detached_exceeded']],
      ['second', ['slots_lost', 'detached_exceeded']],
    ] as const) {
      await node.manager.create({ name, jobName: 'work', trigger: NEVER, timeout: 10 });
      await node.manager.triggerNow(name);
      const report = await untilReasons(node, reasons);
      expect(report.status).toBe(name === 'first' ? 'degraded' : 'down');
    }
    expect(await check(node, { ...PATIENT, maxDetached: 2 })).toMatchObject({ reasons: ['slots_lost'] });
    never.open();
  });

  it('tells the states of a life', async () => {
    const booting: HealthReport[] = [];
    const node = await start({}, [
      {
        provide: 'boot',
        inject: [CronStoreHealth],
        useFactory: (health: CronStoreHealth) => ({
          onModuleInit: async () => booting.push(await health.check(PATIENT)),
        }),
      },
    ]);
    expect(booting).toMatchObject([{ status: 'down', state: 'starting' }]);
    await node.engine.drain();
    expect(await check(node)).toMatchObject({ status: 'down', reasons: ['stopping'] });
    await node.close();
    open.splice(0);
    expect(await check(node)).toMatchObject({ status: 'down', reasons: ['stopped'] });
  });

  it('is up where a process only manages and the database answers, without a lag', async () => {
    await start();
    const managing = await start({ execute: false });
    const report = await check(managing);
    expect(report).toMatchObject({ status: 'up', state: 'disabled', slots: 0 });
    expect(report).not.toHaveProperty('lagMs');
    way.blackHole();
    expect(await check(managing, { timeout: 200 })).toMatchObject({
      status: 'down',
      reasons: ['database_unreachable'],
    });
    way.passOn();
  });

  it('is up where the store is disabled, and asks no database', async () => {
    const reads = jest.spyOn(HealthStore.prototype, 'read');
    const node = await start({ enabled: false });
    expect(await check(node)).toMatchObject({ status: 'up', state: 'disabled' });
    expect(reads).not.toHaveBeenCalled();
    reads.mockRestore();
  });

  it('says what is wrong with thresholds', async () => {
    const node = await start({ pollInterval: '5s' });
    const wrong = { timeout: 0, maxPassAge: '5s', maxLag: 'long', maxDetached: -1 };
    const error = await check(node, wrong).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(CronStoreOptionsError);
    expect((error as Error).message).toMatch(/^A health check cannot go by these thresholds:\n- /);
    expect((error as CronStoreOptionsError).faults).toEqual([
      expect.stringMatching(/^The threshold timeout must be .* more than 0 ms.* but is 0\.$/),
      expect.stringMatching(/^The threshold maxPassAge must be .* more than 5000 ms.* but is '5s'\.$/),
      expect.stringMatching(/^The threshold maxLag must be .* but is 'long'\.$/),
      expect.stringMatching(/^The threshold maxDetached must be .* but is -1\.$/),
    ]);
    expect(node.app.get(CronStoreEngine)).toBe(node.engine);
  });
});
