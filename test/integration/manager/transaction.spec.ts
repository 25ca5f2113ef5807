import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { DataSource, type EntityManager } from 'typeorm';
import { cron, RUN_MISSED_EVENT, ScheduleExistsError, type ScheduleSpec } from '../../../lib/index.js';
import { options as dataSourceOptions } from '../../support/database.js';
import { HOUR, MINUTE, NOON, rejectionOf, startStillStore, type StillStore } from './support/still-store.js';

const HOURLY = { jobName: 'job', trigger: cron('0 * * * *') };

class RolledBack extends Error {}

describe("changes inside the caller's transaction", () => {
  let store: StillStore;
  let name: string;

  beforeAll(async () => {
    store = await startStillStore();
    await store.database.query('create table host_rows (id int primary key)');
  });

  afterAll(() => store.close());

  beforeEach(async () => {
    await store.setNow(NOON);
    await store.database.query('truncate host_rows');
    name = store.freshName();
  });

  async function hostRows() {
    return store.database.query('select id from host_rows order by id');
  }

  /** Runs work in a transaction of the host's that inserts a row of its own, and rolls back in the end. */
  async function rollingBack(work: (transaction: EntityManager) => Promise<unknown>) {
    const error = await rejectionOf(
      store.node.dataSource.transaction(async (transaction) => {
        await transaction.query('insert into host_rows values (1)');
        await work(transaction);
        throw new RolledBack();
      }),
    );
    expect(error).toBeInstanceOf(RolledBack);
  }

  it('commit with the rows of the caller', async () => {
    await store.node.dataSource.transaction(async (transaction) => {
      await transaction.query('insert into host_rows values (1)');
      await store.manager.create({ name, ...HOURLY }, { transaction, actor: 'host' });
      await store.manager.patch(name, { timeout: 5 }, { transaction, expectedVersion: 1 });
      await expect(store.manager.get(name)).rejects.toMatchObject({ code: 2700 });
    });

    expect((await store.manager.get(name)).schedule).toMatchObject({
      createdBy: 'host',
      timeoutMs: 5,
      version: 2,
      nextFireAtUnixMs: NOON + HOUR,
    });
    expect(await hostRows()).toHaveLength(1);
  });

  it('roll back with the rows of the caller, whatever the change', async () => {
    await store.manager.create({ name, jobName: 'job', trigger: cron('* * * * *') });
    await store.setNow(NOON + 10 * MINUTE);
    const before = await store.contents();
    const events: unknown[] = [];
    store.node.events.on(RUN_MISSED_EVENT, (event) => events.push(event));

    await rollingBack((transaction) => store.manager.create({ name: 'other', ...HOURLY }, { transaction }));
    await rollingBack((transaction) => store.manager.update(name, HOURLY, { transaction }));
    await rollingBack((transaction) =>
      store.manager.patch(name, { name: 'renamed', trigger: cron('0 * * * *') }, { transaction }),
    );
    await rollingBack((transaction) => store.manager.pause(name, { transaction }));
    await rollingBack((transaction) => store.manager.triggerNow(name, { transaction }));
    await rollingBack((transaction) => store.manager.delete(name, { transaction }));

    expect(await store.contents()).toEqual(before);
    expect(await hostRows()).toEqual([]);
    expect(events).toEqual([]);
  });

  it('leave the transaction usable when they are refused, for statements before and after', async () => {
    await store.manager.create({ name, ...HOURLY });
    await store.manager.create({ name: `${name} taken`, ...HOURLY });
    await store.node.dataSource.transaction(async (transaction) => {
      await transaction.query('insert into host_rows values (1)');
      const refused = [
        () => store.manager.create({ name, ...HOURLY }, { transaction }),
        () => store.manager.create({ name: 'other', ...HOURLY, jobName: 'nobody' }, { transaction }),
        () => store.manager.patch(name, { name: `${name} taken` }, { transaction }),
        () => store.manager.patch(name, { timeout: 1 }, { transaction, expectedVersion: 9 }),
        () => store.manager.patch(name, { endsAt: NOON - 1 }, { transaction }),
        () => store.manager.delete('nobody', { transaction }),
      ];
      for (const change of refused) {
        expect(await rejectionOf(change())).toMatchObject({ code: expect.any(Number) });
      }
      await store.manager.patch(name, { timeout: 7 }, { transaction });
      await transaction.query('insert into host_rows values (2)');
    });

    expect((await store.manager.get(name)).schedule).toMatchObject({ timeoutMs: 7, version: 2 });
    expect(await hostRows()).toHaveLength(2);
  });

  it('recognise a taken name also where it was taken by a rename', async () => {
    await store.manager.create({ name, ...HOURLY });
    await store.manager.create({ name: `${name} b`, ...HOURLY });
    const error = await store.node.dataSource.transaction((transaction) =>
      rejectionOf(store.manager.patch(`${name} b`, { name }, { transaction })),
    );

    expect(error).toBeInstanceOf(ScheduleExistsError);
  });

  it('keep each other apart where several run at once in one transaction', async () => {
    await store.manager.create({ name: `${name} 3`, ...HOURLY });
    const results = await store.node.dataSource.transaction((transaction) =>
      Promise.allSettled(
        [1, 2, 3, 4, 5].map((index) =>
          store.manager.create({ name: `${name} ${index}`, ...HOURLY }, { transaction }),
        ),
      ),
    );

    expect(results.map((result) => result.status)).toEqual([
      'fulfilled',
      'fulfilled',
      'rejected',
      'fulfilled',
      'fulfilled',
    ]);
    const names = (await store.manager.list()).map((schedule) => schedule.name);
    expect(names.filter((listed) => listed.startsWith(name))).toHaveLength(5);
  });

  it('are refused in a transaction of another data source, which may be another database', async () => {
    const other = new DataSource(dataSourceOptions(store.database.url));
    await other.initialize();
    try {
      const error = await rejectionOf(
        other.transaction(async (transaction) => store.manager.create({ name, ...HOURLY }, { transaction })),
      );
      expect(error).toBeInstanceOf(TypeError);
      expect(String(error)).toMatch(/belongs to another/);
      await expect(store.manager.get(name)).rejects.toMatchObject({ code: 2700 });
    } finally {
      await other.destroy();
    }
  });

  it('work within a transaction that is serializable', async () => {
    await store.node.dataSource.transaction('SERIALIZABLE', async (transaction) => {
      await store.manager.create({ name, ...HOURLY }, { transaction });
    });

    expect((await store.manager.get(name)).schedule.version).toBe(1);
  });

  describe('wake the nodes', () => {
    let listener: pg.Client;
    const notifications: string[] = [];

    beforeAll(async () => {
      listener = new pg.Client({ connectionString: store.database.url });
      await listener.connect();
      listener.on('notification', ({ channel }) => notifications.push(channel));
      const [row] = await store.database.query<{ channel: string }>(
        `select 'crn_wake_' || left(encode(sha256('public'), 'hex'), 32) as channel`,
      );
      await listener.query(`listen ${row?.channel}`);
    });

    afterAll(() => listener.end());

    it('when they commit, and not when they roll back', async () => {
      const spec: ScheduleSpec = { name, ...HOURLY };
      await rollingBack((transaction) => store.manager.create(spec, { transaction }));
      await store.node.dataSource.transaction(async (transaction) => {
        await store.manager.create(spec, { transaction });
        await listener.query('select 1');
        expect(notifications).toEqual([]);
      });
      while (notifications.length === 0) {
        await delay(5);
      }

      expect(notifications).toHaveLength(1);
    });
  });
});
