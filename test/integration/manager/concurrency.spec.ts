import { jest } from '@jest/globals';
import { CronStoreError, cron, ScheduleConflictError, ScheduleExistsError } from '../../../lib/index.js';
import { ScheduleStore } from '../../../lib/storage/schedules/schedule.store.js';
import { untilTrue } from '../../support/database.js';
import { startStoreApp, type StoreApp } from '../../support/store-app.js';
import { startStillStore, type StillStore } from './support/still-store.js';

const HOURLY = { jobName: 'job', trigger: cron('0 * * * *') };

/** How a call ended: done, or the class of its error. */
function endOf(result: PromiseSettledResult<unknown>): unknown {
  return result.status === 'fulfilled' ? 'done' : (result.reason as Error).constructor;
}

async function endOfCall(call: Promise<unknown>): Promise<unknown> {
  const [result] = await Promise.allSettled([call]);
  return endOf(result);
}

describe('changes at the same time', () => {
  let store: StillStore;
  /** Another application on the same database. */
  let other: StoreApp;
  let name: string;

  beforeAll(async () => {
    store = await startStillStore();
    other = await startStoreApp({ url: store.database.url });
    await other.engine.drain();
  });

  afterAll(async () => {
    await other.close();
    await store.close();
  });

  beforeEach(() => {
    name = store.freshName();
  });

  /** Who waits for a lock of somebody else. */
  async function waiting(): Promise<unknown[]> {
    return store.database.query(
      `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    );
  }

  it('let the first of two operators with one version through, and refuse the second (scenario 46)', async () => {
    const { version } = await store.manager.create({ name, ...HOURLY });
    const results = await Promise.allSettled([
      store.manager.patch(name, { timeout: 1 }, { expectedVersion: version, actor: 'a' }),
      other.manager.patch(name, { timeout: 2 }, { expectedVersion: version, actor: 'b' }),
    ]);
    const winner = results.find((result) => result.status === 'fulfilled');

    expect(new Set(results.map(endOf))).toEqual(new Set(['done', ScheduleConflictError]));
    expect((await store.manager.get(name)).schedule).toMatchObject({ ...winner?.value });
  });

  it('refuse a version that is no longer the row’s when the lock is there', async () => {
    const { version } = await store.manager.create({ name, ...HOURLY });
    const runner = other.dataSource.createQueryRunner();
    await runner.startTransaction();
    await runner.query('update crn_schedule set version = version + 1 where name = $1', [name]);
    const late = endOfCall(store.manager.patch(name, { timeout: 2 }, { expectedVersion: version }));
    await untilTrue('it waits for the row', async () => (await waiting()).length > 0);
    await runner.commitTransaction();
    await runner.release();

    expect(await late).toBe(ScheduleConflictError);
    expect((await store.manager.get(name)).schedule).toMatchObject({ version: version + 1, timeoutMs: 0 });
  });

  it('give a name to one of many creators', async () => {
    const results = await Promise.allSettled(
      Array.from({ length: 10 }, () => store.manager.create({ name, ...HOURLY })),
    );

    expect(results.map(endOf).filter((code) => code === 'done')).toHaveLength(1);
    expect(results.map(endOf).filter((code) => code === ScheduleExistsError)).toHaveLength(9);
  });

  it('give a name to one of two renames', async () => {
    for (let round = 0; round < 10; round += 1) {
      const [a, b, target] = ['a', 'b', 'target'].map((suffix) => `${name} ${round} ${suffix}`) as [
        string,
        string,
        string,
      ];
      await store.manager.create({ name: a, ...HOURLY });
      await store.manager.create({ name: b, ...HOURLY });
      const results = await Promise.allSettled([
        store.manager.patch(a, { name: target }),
        other.manager.patch(b, { name: target }),
      ]);

      expect(new Set(results.map(endOf))).toEqual(new Set(['done', ScheduleExistsError]));
      const left = (await store.manager.list()).map((schedule) => schedule.name);
      expect(left.filter((listed) => [a, b].includes(listed))).toHaveLength(1);
      expect(left).toContain(target);
    }
  });

  it('refuse two schedules that want to swap their names, with a typed error', async () => {
    for (let round = 0; round < 10; round += 1) {
      const [a, b] = [`${name} ${round} a`, `${name} ${round} b`];
      await store.manager.create({ name: a, ...HOURLY });
      await store.manager.create({ name: b, ...HOURLY });
      const results = await Promise.allSettled([
        store.manager.patch(a, { name: b }),
        other.manager.patch(b, { name: a }),
      ]);

      expect(results.map(endOf).filter((code) => code !== 'done')).toContain(ScheduleExistsError);
    }
  });

  it('outlive a deadlock, of which nothing remains', async () => {
    const [a, b] = [`${name} a`, `${name} b`];
    const { id } = await store.manager.create({ name: a, ...HOURLY });
    await store.manager.create({ name: b, ...HOURLY });
    const runner = other.dataSource.createQueryRunner();
    await runner.startTransaction();
    // So that it is the other that the server refuses.
    await runner.query(`set local deadlock_timeout = '1min'`);
    await runner.query('update crn_schedule set name = $2 where name = $1', [b, `${name} c`]);
    let blocked: Promise<unknown> | undefined;
    const { replace } = ScheduleStore.prototype;
    const spy = jest.spyOn(ScheduleStore.prototype, 'replace');
    // It has the row of the first by now, and waits for the name of the second.
    spy.mockImplementationOnce(async function deadlocked(this: ScheduleStore, ...given) {
      blocked = runner
        .query('update crn_schedule set version = version + 1 where id = $1', [id])
        .then(() => runner.commitTransaction());
      await untilTrue('it waits for the row', async () => (await waiting()).length > 0);
      return replace.apply(this, given);
    });
    const renamed = store.manager.patch(a, { name: b });

    expect(await renamed).toMatchObject({ id, name: b, version: 3 });
    await blocked;
    await runner.release();
    expect(spy).toHaveBeenCalledTimes(2);
    spy.mockRestore();
    const audited = await store.database.query('select outcome from crn_audit where target = $1', [a]);
    expect(audited.map(({ outcome }) => outcome)).toEqual(['success', 'success']);
  });

  it('are all made where many change one schedule, one version each', async () => {
    await store.manager.create({ name, ...HOURLY });
    const { manager } = store;
    const changes = Array.from({ length: 5 }, (_, index) => [
      manager.patch(name, { timeout: index }),
      other.manager.pause(name),
      manager.update(name, HOURLY),
      other.manager.patch(name, { recover: index % 2 === 0 }),
    ]);
    await Promise.all(changes.flat());

    expect((await store.manager.get(name)).schedule.version).toBe(21);
  });

  it('leave the last creation in place where a name is deleted and created again at once', async () => {
    const created = await store.manager.create({ name, ...HOURLY });
    for (let round = 0; round < 20; round += 1) {
      await store.manager.delete(name);
      await store.manager.create({ name, ...HOURLY });
    }

    const { schedule } = await other.manager.get(name);
    expect(schedule).toMatchObject({ state: 'armed', version: 1 });
    expect(schedule.id).not.toBe(created.id);
  });

  it('end in a typed error or a change, whatever is mixed', async () => {
    const { manager } = store;
    const calls = Array.from({ length: 9 }, () => [
      manager.create({ name, ...HOURLY }),
      other.manager.delete(name),
      manager.pause(name),
      other.manager.resume(name),
      manager.triggerNow(name),
      other.manager.patch(name, { name: `${name} renamed` }),
      manager.patch(`${name} renamed`, { name }),
    ]);
    const results = await Promise.allSettled<unknown>(calls.flat());

    for (const result of results) {
      if (result.status === 'rejected') {
        expect(result.reason).toBeInstanceOf(CronStoreError);
      }
    }
    const requests = await store.database.query(
      'select 1 from crn_fire_request q where not exists (select from crn_schedule s where s.id = q.schedule_id)',
    );
    expect(requests).toEqual([]);
  });
});
