import { every, type Execution } from '../../../lib/index.js';
import { CRON_STORE_STORAGE, type Storage } from '../../../lib/storage/index.js';
import { createTestDatabase, type TestDatabase, untilTrue } from '../../support/database.js';
import { MovedClock } from '../../support/moved-clock.js';
import { startStoreApp, type StoreApp } from '../../support/store-app.js';
import { Gate, job } from './support/jobs.js';
import { NEVER, runsOf, untilOver } from './support/runs.js';

const START = Date.parse('2030-01-01T00:00:00Z');
const MINUTE_MS = 60_000;

describe('what somebody has locked', () => {
  let database: TestDatabase;
  let clock: MovedClock;
  let node: StoreApp;

  beforeAll(async () => {
    database = await createTestDatabase();
    clock = await MovedClock.on(database);
    node = await startStoreApp({
      url: database.url,
      clock,
      providers: [job('work', () => undefined), job('patient', untilAborted)],
    });
  });

  beforeEach(async () => {
    await clock.freezeAt(START);
  });

  afterEach(async () => {
    for (const { name } of await node.manager.list()) {
      await node.manager.delete(name);
    }
    await database.query('truncate crn_run');
  });

  afterAll(async () => {
    await node.close();
    await database.drop();
  });

  /** Keeps the row of a schedule locked, as another node does in the middle of its claim. */
  async function whileLocked(name: string, work: () => Promise<void>): Promise<void> {
    await whileHeld('select from crn_schedule where name = $1 for update', name, work);
  }

  /** Keeps what a statement locks for a schedule. */
  async function whileHeld(lock: string, name: string, work: () => Promise<void>): Promise<void> {
    const runner = node.dataSource.createQueryRunner();
    await runner.startTransaction();
    await runner.query(lock, [name]);
    try {
      await work();
    } finally {
      await runner.rollbackTransaction();
      await runner.release();
    }
  }

  it('holds up no other schedule that is due, and fires when it is free', async () => {
    for (const name of ['locked', 'free']) {
      await node.manager.create({ name, jobName: 'work', trigger: every('1m') });
    }
    await whileLocked('locked', async () => {
      await clock.moveBy(MINUTE_MS);
      await untilOver(node, 'free');
      expect(await runsOf(node, 'locked')).toEqual([]);
    });
    await untilOver(node, 'locked');
  });

  it('holds up no backlog of another schedule', async () => {
    for (const name of ['locked', 'free']) {
      await node.manager.create({ name, jobName: 'work', trigger: every('1m'), misfirePolicy: 'backfill' });
    }
    await whileLocked('locked', async () => {
      await clock.moveBy(3 * MINUTE_MS);
      await untilOver(node, 'free', 3);
      expect(await runsOf(node, 'locked')).toEqual([]);
    });
    await untilOver(node, 'locked', 3);
  });

  it.each(['request', 'range'])('holds up no %s of another schedule', async (kind) => {
    // Held, so that nothing is claimed before the lock is there.
    await node.manager.hold({});
    for (const name of ['locked', 'free']) {
      await node.manager.create({
        name,
        jobName: 'work',
        trigger: every('1m'),
        startsAt: START - 60 * MINUTE_MS,
      });
      await (kind === 'request'
        ? node.manager.triggerNow(name)
        : node.manager.backfill(name, { from: START - 9 * MINUTE_MS, to: START - 9 * MINUTE_MS }));
    }
    await whileLocked('locked', async () => {
      await node.manager.release({});
      await untilOver(node, 'free');
      expect(await runsOf(node, 'locked')).toEqual([]);
    });
    await untilOver(node, 'locked');
  });

  it('is replaced when it is free, where it is a run, and holds up no other schedule that is due', async () => {
    await node.manager.create({
      name: 'replaced',
      jobName: 'patient',
      trigger: every('1m'),
      concurrencyPolicy: 'replace',
    });
    await node.manager.create({ name: 'free', jobName: 'work', trigger: every('1m') });
    await clock.moveBy(MINUTE_MS);
    await untilOver(node, 'free');
    await untilTrue('it runs', async () => (await runsOf(node, 'replaced', 'running')).length === 1);
    // As the commit of a transactional handler, or a cancellation that is not committed, has it locked.
    await whileHeld('select from crn_run where schedule_name = $1 for update', 'replaced', async () => {
      await clock.moveBy(MINUTE_MS);
      await untilOver(node, 'free', 2);
      expect(node.engine.status().faults).not.toContain('claim_failed');
      expect(await runsOf(node, 'replaced')).toHaveLength(1);
    });
    const [replaced] = await untilOver(node, 'replaced');
    expect(replaced).toMatchObject({ status: 'canceled', reason: 'replaced' });
    await untilTrue('the next runs', async () => (await runsOf(node, 'replaced', 'running')).length === 1);
    await node.manager.cancelRunsOf('replaced');
    await untilOver(node, 'replaced', 2);
  });

  it('keeps its pause, which has ended, until it is free, and holds up neither fires nor other pauses', async () => {
    for (const name of ['locked', 'free', 'paused']) {
      await node.manager.create({ name, jobName: 'work', trigger: every('1m') });
    }
    await node.manager.pause('locked', { until: START + 30_000 });
    await node.manager.pause('paused', { until: START + 40_000 });
    await whileLocked('locked', async () => {
      await clock.moveBy(MINUTE_MS);
      await untilOver(node, 'free');
      await untilOver(node, 'paused');
      await clock.moveBy(MINUTE_MS);
      await untilOver(node, 'free', 2);
      expect((await node.manager.get('locked')).schedule.state).toBe('paused');
      expect(await database.query(`select action, target from crn_audit where outcome <> 'success'`)).toEqual(
        [],
      );
    });
    await untilOver(node, 'locked');
    expect((await node.manager.get('locked')).schedule.state).toBe('armed');
  });

  it('holds up no fire where a pause has expired, and every connection for changes waits', async () => {
    for (const name of ['free', 'paused']) {
      await node.manager.create({ name, jobName: 'work', trigger: every('1m') });
    }
    await node.manager.pause('paused', { until: START + 30_000 });
    const { connections } = node.app.get<Storage>(CRON_STORE_STORAGE);
    const gate = new Gate();
    const waiting = [1, 2].map(() => connections.transaction('manager', () => gate.pass()));
    try {
      await clock.moveBy(MINUTE_MS);
      await untilTrue('it has fired', async () => {
        const fires = await database.query(`select from crn_run where schedule_name = 'free'`);
        return fires.length > 0;
      });
    } finally {
      gate.open();
      await Promise.all(waiting);
    }
    await untilOver(node, 'paused');
  });

  it('is fired by nobody else while a claim that has decided about it is yet to be journaled', async () => {
    const other = await startStoreApp({
      url: database.url,
      clock,
      providers: [job('work', () => undefined)],
    });
    await node.manager.hold({});
    await node.manager.create({
      name: 'decided',
      jobName: 'work',
      trigger: NEVER,
      concurrencyPolicy: 'allow',
    });
    await node.manager.triggerNow('decided');
    const runner = node.dataSource.createQueryRunner();
    await runner.startTransaction();
    await runner.query('lock table crn_run in share mode');
    try {
      await node.manager.release({});
      await untilTrue('a claim waits for the journal', async () => (await claimsThatWait()) > 0);
      const passed: unknown[] = [];
      for (const { engine } of [node, other]) {
        engine.runOnce().then(
          (pass) => passed.push(pass),
          () => undefined,
        );
      }
      // One of the two finds nothing that it may take, unless it takes what the other has.
      await untilTrue('the other has looked', async () => passed.length > 0 || (await claimsThatWait()) > 1);
    } finally {
      await runner.commitTransaction();
      await runner.release();
    }
    await untilOver(node, 'decided');
    await other.engine.drain();
    await other.close();
    expect(await runsOf(node, 'decided')).toHaveLength(1);
  });

  async function claimsThatWait(): Promise<number> {
    const rows = await database.query(
      `select from pg_stat_activity
       where datname = current_database() and wait_event_type = 'Lock'
         and query like '%update%crn_schedule%insert into%crn_run%'`,
    );
    return rows.length;
  }
});

/** Runs until it is asked to end. */
async function untilAborted({ signal }: Execution): Promise<void> {
  await new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason));
  });
}
