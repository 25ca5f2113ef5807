import { jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { every, RUN_SUCCEEDED_EVENT, type RunEvent } from '../../../lib/index.js';
import { ConnectionExecutor } from '../../../lib/storage/connections/executor.js';
import { createTestDatabase, type TestDatabase, untilTrue } from '../../support/database.js';
import { startStoreApp, type StoreApp } from '../../support/store-app.js';
import { ClaimCommits } from './support/claim-commits.js';
import { GatedJob } from './support/jobs.js';
import { fire, NEVER, runsOf, untilFireIsOver, untilOver } from './support/runs.js';

/** Cuts the connection of the next claim at its commit, after or before the server has done it. */
function cutNextClaim(isCommitted: boolean): void {
  const query = ConnectionExecutor.prototype.query;
  const commits = new ClaimCommits();
  const spy = jest.spyOn(ConnectionExecutor.prototype, 'query');
  spy.mockImplementation(async function cut(this: ConnectionExecutor, text, values, name) {
    if (!commits.isOne(this, text, name)) {
      return query.call(this, text, values, name) as Promise<never[]>;
    }
    spy.mockRestore();
    if (isCommitted) {
      await query.call(this, text);
    }
    const error = new Error('Connection terminated unexpectedly');
    this.onConnectionError(error);
    throw error;
  });
}

describe('errors of the store', () => {
  let database: TestDatabase;
  let work: GatedJob;
  let node: StoreApp;
  let succeeded: string[];
  const others: StoreApp[] = [];

  beforeAll(() => {
    Logger.overrideLogger(['error']);
  });

  beforeEach(async () => {
    database = await createTestDatabase();
    work = new GatedJob('work');
    node = await startStoreApp({ url: database.url, providers: [work.provider] });
    succeeded = [];
    node.events.on(RUN_SUCCEEDED_EVENT, ({ runId }: RunEvent) => succeeded.push(runId));
  });

  afterEach(async () => {
    work.gate.open();
    await Promise.all([node, ...others.splice(0)].map((each) => each.close()));
    await database.drop();
  });

  afterAll(() => {
    Logger.overrideLogger(['error', 'warn', 'log']);
  });

  async function create(name: string, spec: object = {}): Promise<void> {
    await node.manager.create({ name, jobName: 'work', trigger: NEVER, ...spec });
  }

  async function fireAndHold(name: string): Promise<string> {
    const { requestId } = await node.manager.triggerNow(name);
    await untilTrue('the handler runs', () => work.of(name).length > 0);
    return requestId;
  }

  async function takeAway(table: string): Promise<() => Promise<unknown>> {
    await database.query(`alter table ${table} rename to ${table}_away`);
    return () => database.query(`alter table ${table}_away rename to ${table}`);
  }

  it('do not stop the loop: it says that it is degraded, and goes on when they are over', async () => {
    work.gate.open();
    await create('steady', { trigger: every('1s') });
    for (const table of ['crn_schedule', 'crn_fire_request', 'crn_run']) {
      const giveBack = await takeAway(table);
      await untilTrue('the engine is degraded', () => node.engine.status().state === 'degraded');
      await expect(node.engine.runOnce()).rejects.toThrow(table);
      await giveBack();
      await untilTrue('the engine runs again', () => node.engine.status().state === 'running');
      const before = (await runsOf(node, 'steady')).length;
      await untilOver(node, 'steady', before + 1);
    }
    const runs = await runsOf(node, 'steady', 'succeeded');
    expect(new Set(runs.map((run) => run.scheduledAtUnixMs)).size).toBe(runs.length);
  });

  it('do not stop the heartbeat', async () => {
    const { nodeId } = node.engine.status();
    const beats = async () =>
      database.query<{ beat: string }>(
        'select heartbeat_at_unix_ms::text as beat from crn_node where id = $1',
        [nodeId],
      );
    await untilTrue('the node has announced itself', async () => (await beats()).length === 1);
    const giveBack = await takeAway('crn_node');
    await create('meanwhile');
    work.gate.open();
    expect(await fire(node, 'meanwhile')).toMatchObject({ status: 'succeeded' });
    await giveBack();
    const [before] = await beats();
    await untilTrue('it beats again', async () => (await beats())[0]?.beat !== before?.beat);
  });

  it('lose no outcome of a handler that ends meanwhile', async () => {
    await create('patient');
    const requestId = await fireAndHold('patient');
    const giveBack = await takeAway('crn_run');
    work.gate.open();
    await untilTrue('the handler has ended', () => node.engine.status().running === 0);
    await untilTrue('the engine is degraded', () => node.engine.status().state === 'degraded');
    await giveBack();
    expect(await untilFireIsOver(node, 'patient', requestId)).toMatchObject({
      status: 'succeeded',
      attempt: 1,
    });
    await untilTrue('it is told', () => succeeded.length > 0);
    expect(succeeded).toHaveLength(1);
  });

  it('do not make a run look abandoned whose handler has ended and whose outcome waits', async () => {
    const vigilant = await startStoreApp({
      url: database.url,
      store: { heartbeatInterval: 500, abandonedAfter: 3_000 },
    });
    others.push(vigilant);
    await create('refused', { recover: true });
    const requestId = await fireAndHold('refused');
    await database.query(`
      create function refuse() returns trigger language plpgsql as $$
      begin raise 'not now'; end $$`);
    await database.query(`
      create trigger refuse before update on crn_run for each row when (new.status = 'succeeded')
      execute function refuse()`);
    work.gate.open();
    const beats = new Set<number>();
    await untilTrue('it was alive for several times abandonedAfter', async () => {
      const [run] = await runsOf(node, 'refused');
      expect(run?.status).toBe('running');
      beats.add(run?.heartbeatAtUnixMs ?? 0);
      return Math.max(...beats) - Math.min(...beats) > 7_000;
    });
    await database.query('drop trigger refuse on crn_run');
    expect(await untilFireIsOver(node, 'refused', requestId)).toMatchObject({
      status: 'succeeded',
      attempt: 1,
    });
  });

  it('do not let one outcome that is refused hold up the others', async () => {
    await create('poisoned');
    const poisoned = await fireAndHold('poisoned');
    await create('healthy', { concurrencyPolicy: 'allow' });
    await database.query(`
      create function refuse() returns trigger language plpgsql as $$
      begin raise 'never'; end $$`);
    await database.query(`
      create trigger refuse before update on crn_run for each row
      when (new.status = 'succeeded' and new.schedule_name = 'poisoned') execute function refuse()`);
    work.gate.open();
    for (let count = 0; count < 5; count += 1) {
      expect(await fire(node, 'healthy')).toMatchObject({ status: 'succeeded' });
    }
    await database.query('drop trigger refuse on crn_run');
    expect(await untilFireIsOver(node, 'poisoned', poisoned)).toMatchObject({ status: 'succeeded' });
  });

  it('are survived when every connection is cut, again and again, without loss and without doubles', async () => {
    work.gate.open();
    // A run that is still to be confirmed or journaled must not keep the next occurrence from running.
    await create('cut', { trigger: every('1s'), concurrencyPolicy: 'allow' });
    for (let cut = 0; cut < 6; cut += 1) {
      await database.query(
        `select pg_terminate_backend(pid) from pg_stat_activity
         where datname = current_database() and pid <> pg_backend_pid() and application_name <> 'test'`,
      );
      await untilTrue('it fires again', async () => {
        const runs = await database.query<{ count: string }>(
          `select count(*)::text as count from crn_run where status = 'succeeded'`,
        );
        return Number(runs[0]?.count) > cut;
      });
    }
    await node.manager.pause('cut');
    await untilTrue('all has ended', () => node.engine.status().running === 0);
    await untilTrue('all is journaled', async () => (await runsOf(node, 'cut', 'running')).length === 0);
    const instants = (await runsOf(node, 'cut', 'succeeded')).map((run) => run.scheduledAtUnixMs);
    const [first = 0] = instants;
    expect(instants).toEqual(instants.map((_, index) => first + index * 1_000));
    expect(work.executions.map((execution) => execution.scheduledAtUnixMs)).toEqual(instants);
  });

  describe('that leave a commit unanswered', () => {
    it.each([
      ['start a claim that is in the journal', true],
      ['claim again what is not', false],
    ])('%s', async (_, isCommitted) => {
      work.gate.open();
      await create('unanswered', { trigger: every('1s'), concurrencyPolicy: 'allow' });
      await untilOver(node, 'unanswered');
      cutNextClaim(isCommitted);
      await untilTrue('the engine is degraded', () => node.engine.status().state === 'degraded');
      await untilOver(node, 'unanswered', 3);
      await node.manager.pause('unanswered');
      await untilTrue('all is journaled', async () => {
        const running = await runsOf(node, 'unanswered', 'running');
        return running.length === 0;
      });
      const runs = await runsOf(node, 'unanswered');
      const [first] = runs.map((run) => run.scheduledAtUnixMs);
      expect(runs.map(({ status }) => status)).toEqual(runs.map(() => 'succeeded'));
      expect(runs.map((run) => run.scheduledAtUnixMs)).toEqual(
        runs.map((_run, index) => (first ?? 0) + index * 1_000),
      );
      expect(new Set(work.executions.map(({ runId }) => runId)).size).toBe(work.executions.length);
      expect(await runsOf(node, 'unanswered', 'abandoned')).toEqual([]);
    });
  });

  it('wait behind a lock without stopping the heartbeat, and go on', async () => {
    work.gate.open();
    await create('locked');
    const holder = node.dataSource.createQueryRunner();
    await holder.connect();
    await holder.startTransaction();
    await holder.query('lock table crn_schedule in access exclusive mode');
    const { nodeId } = node.engine.status();
    await untilTrue('a claim waits for the lock', async () => {
      const waiting = await database.query(
        `select from pg_locks where relation = 'crn_schedule'::regclass and not granted`,
      );
      return waiting.length > 0;
    });
    const beats = new Set<string>();
    await untilTrue('it beats on', async () => {
      const [row] = await database.query<{ beat: string }>(
        'select heartbeat_at_unix_ms::text as beat from crn_node where id = $1',
        [nodeId],
      );
      beats.add(row?.beat ?? '');
      return beats.size > 3;
    });
    await holder.rollbackTransaction();
    await holder.release();
    expect(await fire(node, 'locked')).toMatchObject({ status: 'succeeded' });
  });
});
