import { hostname } from 'node:os';
import type { Provider } from '@nestjs/common';
import {
  type CronStoreOptions,
  every,
  type Execution,
  JobHandler,
  JobNotRegisteredError,
  StoreDisabledError,
} from '../../../lib/index.js';
import { ScheduleReader } from '../../../lib/manager/index.js';
import { createTestDatabase, type TestDatabase, untilTrue } from '../../support/database.js';
import { startStoreApp, type StoreApp } from '../../support/store-app.js';
import { NEVER } from '../engine/support/runs.js';

/** Nodes that nobody takes for dead while a test lasts. */
const PATIENT: CronStoreOptions = { abandonedAfter: '10m' };
const MANAGES: CronStoreOptions = { ...PATIENT, execute: false };

function handlerOf(name: string, execute: (execution: Execution) => unknown = () => undefined): Provider {
  @JobHandler(name)
  class Handler implements JobHandler {
    execute(execution: Execution) {
      return execute(execution);
    }
  }
  return Handler;
}

describe('nodes', () => {
  let database: TestDatabase;
  const running = new Set<StoreApp>();

  beforeEach(async () => {
    database = await createTestDatabase();
    // The tables are there before any process that only manages.
    await stop(await start(PATIENT));
  });

  afterEach(async () => {
    await Promise.all([...running].map(stop));
    await database.drop();
  });

  async function start(store: CronStoreOptions, ...providers: Provider[]): Promise<StoreApp> {
    const app = await startStoreApp({ url: database.url, store, providers });
    running.add(app);
    return app;
  }

  async function stop(app: StoreApp): Promise<void> {
    running.delete(app);
    await app.close();
  }

  /** A node as one that crashed has left it. */
  async function addSilentNode(id: string, jobName: string, silentMs: number): Promise<void> {
    await database.query(
      `insert into crn_node (id, host, pid, job_names, slots, busy_slots, version, started_at_unix_ms,
         heartbeat_at_unix_ms)
       select $1, 'elsewhere', 7, array[$2], 3, 1, '0.0.0', 5, (extract(epoch from clock_timestamp()) * 1000)::bigint - $3::bigint`,
      [id, jobName, silentMs],
    );
  }

  it('are listed with what they execute, the newest start first, until they leave', async () => {
    const first = await start({ ...PATIENT, maxConcurrent: 4 }, handlerOf('a'), handlerOf('b'));
    const second = await start(PATIENT, handlerOf('c'));

    const [newest, oldest, ...others] = await first.manager.listNodes();
    expect(others).toEqual([]);
    expect(newest).toMatchObject({ id: second.engine.status().nodeId, jobNames: ['c'], isAlive: true });
    expect(oldest).toEqual({
      id: first.engine.status().nodeId,
      host: hostname(),
      pid: process.pid,
      version: expect.stringMatching(/^\d+\.\d+\.\d+/),
      jobNames: ['a', 'b'],
      slots: 4,
      busySlots: 0,
      startedAtUnixMs: expect.any(Number),
      heartbeatAtUnixMs: expect.any(Number),
      isAlive: true,
    });
    await stop(second);
    expect(await first.manager.listNodes()).toMatchObject([{ id: first.engine.status().nodeId }]);
  });

  it('are dead when their last heartbeat is older than abandonedAfter, and so are their jobs', async () => {
    await addSilentNode('silent', 'lost', 11 * 60_000);
    await addSilentNode('slow', 'slow', 9 * 60_000);
    const { manager } = await start(MANAGES);

    expect(await manager.listNodes()).toMatchObject([
      { id: 'silent', host: 'elsewhere', pid: 7, slots: 3, busySlots: 1, isAlive: false },
      { id: 'slow', isAlive: true },
    ]);
    expect(await manager.listJobs()).toEqual(['slow']);
  });

  it('show their jobs before their schedules', async () => {
    const seen: string[][] = [];
    const { manager } = await start(MANAGES);

    @JobHandler('seeded')
    class Seeded implements JobHandler {
      execute() {
        return undefined;
      }
      async defaultSchedule() {
        seen.push(await manager.listJobs());
        return { trigger: NEVER };
      }
    }
    await start(PATIENT, Seeded);

    expect(seen).toEqual([['seeded']]);
    expect(await manager.list()).toMatchObject([{ name: 'seeded', isOrphaned: false }]);
  });

  it('leave when their start fails', async () => {
    @JobHandler({ name: 'broken', defaultSchedule: { trigger: { kind: 'cron', expr: 'broken' } } })
    class Broken implements JobHandler {
      execute() {
        return undefined;
      }
    }
    await expect(start(PATIENT, Broken)).rejects.toThrow('The default schedule of Broken');

    expect(await database.query('select from crn_node')).toEqual([]);
  });

  describe('a process that only manages', () => {
    it('is no node, seeds nothing and executes nothing', async () => {
      @JobHandler({ name: 'job', defaultSchedule: { trigger: every('1s') } })
      class Job implements JobHandler {
        execute() {
          return undefined;
        }
      }
      const { manager, engine } = await start(MANAGES, Job);

      expect(engine.status()).toEqual({ state: 'disabled', faults: [], slots: 0, running: 0, detached: 0 });
      expect(await engine.runOnce()).toEqual({ started: 0, journaled: 0 });
      expect(await manager.list()).toEqual([]);
      expect(await manager.listNodes()).toEqual([]);
    });

    it('creates schedules for the jobs of live nodes, which execute them', async () => {
      const executed: string[] = [];
      await start(
        PATIENT,
        handlerOf('work', ({ scheduleName }) => executed.push(scheduleName)),
        handlerOf('other'),
      );
      const { manager } = await start(MANAGES);

      await manager.create({ name: 'remote', jobName: 'work', trigger: NEVER });
      await manager.patch('remote', { jobName: 'other' });
      await manager.update('remote', { jobName: 'work', trigger: NEVER });
      await manager.triggerNow('remote');
      await untilTrue('the node has executed it', () => executed.length > 0);
      expect(executed).toEqual(['remote']);
    });

    it('refuses a job that no live node has, and names those there are', async () => {
      await start(PATIENT, handlerOf('work'));
      await addSilentNode('silent', 'lost', 11 * 60_000);
      const { manager } = await start(MANAGES);
      await manager.create({ name: 'mine', jobName: 'work', trigger: NEVER });

      for (const jobName of ['lost', 'nobody']) {
        const spec = { jobName, trigger: NEVER };
        const refusal = new JobNotRegisteredError(jobName, ['work']);
        await expect(manager.create({ ...spec, name: 'yours' })).rejects.toThrow(refusal);
        await expect(manager.update('mine', spec)).rejects.toThrow(refusal);
        await expect(manager.patch('mine', { jobName })).rejects.toThrow(refusal);
      }
      expect(await manager.list()).toMatchObject([{ name: 'mine', jobName: 'work', version: 1 }]);
    });

    it('knows the jobs of its own code, although it does not execute them', async () => {
      const { manager } = await start(MANAGES, handlerOf('own'));

      expect(await manager.listJobs()).toEqual(['own']);
      await manager.create({ name: 'own', jobName: 'own', trigger: NEVER });
      expect(await manager.list()).toMatchObject([{ name: 'own', isOrphaned: true }]);
    });
  });

  describe('orphans', () => {
    it('are schedules whose job no live node registers, for as long as none does', async () => {
      const { manager, app } = await start(MANAGES);
      await start(PATIENT, handlerOf('kept'));
      const node = await start(PATIENT, handlerOf('lost'));
      for (const jobName of ['kept', 'lost']) {
        await manager.create({ name: jobName, jobName, trigger: NEVER });
      }
      const namesOf = async (orphaned: boolean) =>
        (await manager.list({ orphaned })).map((schedule) => schedule.name);
      const pageOf = async (isOrphaned: boolean) => {
        const { items, total } = await app
          .get(ScheduleReader)
          .findPage({ isOrphaned }, { offset: 0, limit: 9 });
        expect(total).toBe(items.length);
        return items.map((schedule) => [schedule.name, schedule.isOrphaned]);
      };
      expect(await namesOf(true)).toEqual([]);

      await stop(node);
      expect((await manager.get('lost')).schedule).toMatchObject({ isOrphaned: true, state: 'armed' });
      expect(await manager.list()).toMatchObject([
        { name: 'kept', isOrphaned: false },
        { name: 'lost', isOrphaned: true },
      ]);
      expect([await namesOf(true), await namesOf(false)]).toEqual([['lost'], ['kept']]);
      expect([await pageOf(true), await pageOf(false)]).toEqual([[['lost', true]], [['kept', false]]]);
      expect(await manager.list({ orphaned: true, jobName: 'kept' })).toEqual([]);

      await start(PATIENT, handlerOf('lost'));
      expect((await manager.get('lost')).schedule.isOrphaned).toBe(false);
    });

    it('keep what is owed to them', async () => {
      const { manager } = await start(MANAGES);
      const node = await start(PATIENT, handlerOf('job'));
      await manager.create({ name: 'owed', jobName: 'job', trigger: NEVER });
      await stop(node);
      const { requestId } = await manager.triggerNow('owed');
      expect((await manager.get('owed')).schedule.isOrphaned).toBe(true);

      await start(PATIENT, handlerOf('job'));
      await untilTrue('the fire is executed', async () => {
        const [run] = await manager.listRuns({ scheduleName: 'owed', statuses: ['succeeded'] });
        return run?.idempotencyKey === requestId;
      });
    });

    it.each([['yes'], [null], [1]])('are not filtered by %p', async (orphaned) => {
      const { manager } = await start(MANAGES);
      await expect(manager.list({ orphaned: orphaned as unknown as boolean })).rejects.toThrow(
        /^The filter `orphaned` must be true or false, not /,
      );
    });
  });

  it('are not known where the store is disabled', async () => {
    const { manager } = await start({ enabled: false });
    await expect(manager.listNodes()).rejects.toThrow(StoreDisabledError);
    await expect(manager.listJobs()).rejects.toThrow(StoreDisabledError);
  });

  it('journal what one run of theirs was', async () => {
    const { manager } = await start(PATIENT, handlerOf('job'));
    await manager.create({ name: 'one', jobName: 'job', trigger: NEVER });
    await manager.triggerNow('one');
    await untilTrue(
      'it is over',
      async () => (await manager.listRuns({ statuses: ['succeeded'] })).length > 0,
    );

    const [run] = await manager.listRuns();
    expect(await manager.getRun(run?.id ?? '')).toEqual(run);
    await manager.triggerNow('one', { params: { day: 'monday' } });
    await untilTrue(
      'it is over, too',
      async () => (await manager.listRuns({ statuses: ['succeeded'] })).length > 1,
    );
    const [withParams] = await manager.listRuns();
    expect(await manager.getRun(withParams?.id ?? '')).toEqual({ ...withParams, params: { day: 'monday' } });
    for (const id of ['00000000-0000-7000-8000-000000000000', 'nonsense', undefined]) {
      await expect(manager.getRun(id as string)).rejects.toMatchObject({ code: 2001 });
    }
  });
});
