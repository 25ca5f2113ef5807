import {
  cron,
  every,
  once,
  ScheduleDisabledError,
  ScheduleNotFoundError,
  type ScheduleSpec,
} from '../../../lib/index.js';
import {
  DAY,
  HOUR,
  MINUTE,
  NOON,
  rejectionOf,
  startStillStore,
  type StillStore,
} from './support/still-store.js';

const HOURLY = { jobName: 'job', trigger: cron('0 * * * *') };

interface RequestRow {
  readonly id: string;
  readonly origin: string;
  readonly scheduled_at_unix_ms: string;
  readonly idempotency_key: string;
  readonly created_by: string;
}

describe('the life of a schedule', () => {
  let store: StillStore;
  let name: string;

  beforeAll(async () => {
    store = await startStillStore();
  });

  afterAll(() => store.close());

  beforeEach(async () => {
    await store.setNow(NOON);
    name = store.freshName();
  });

  async function create(given: Partial<ScheduleSpec> = {}) {
    return store.manager.create({ name, ...HOURLY, ...given });
  }

  async function requests() {
    return store.database.query<RequestRow>(
      'select q.* from crn_fire_request q join crn_schedule s on s.id = q.schedule_id where s.name = $1 order by q.id',
      [name],
    );
  }

  describe('pause', () => {
    it('keeps the cursor, and notes when and by whom', async () => {
      const created = await create();
      await store.setNow(NOON + 5);

      expect(await store.manager.pause(name, { actor: 'ops' })).toEqual({
        ...created,
        isEnabled: false,
        state: 'paused',
        pausedAtUnixMs: NOON + 5,
        pausedBy: 'ops',
        version: 2,
        updatedAtUnixMs: NOON + 5,
        updatedBy: 'ops',
      });
    });

    it('of a paused one refreshes who paused it and when', async () => {
      await create();
      await store.manager.pause(name, { actor: 'first' });
      await store.setNow(NOON + HOUR);

      expect(await store.manager.pause(name, { actor: 'second' })).toMatchObject({
        pausedAtUnixMs: NOON + HOUR,
        pausedBy: 'second',
        version: 3,
      });
    });

    it('keeps a parked one parked', async () => {
      await create();
      await store.database.query(
        `update crn_schedule set parked_reason = 'why', next_fire_at_unix_ms = null where name = $1`,
        [name],
      );

      expect(await store.manager.pause(name)).toMatchObject({ state: 'parked', isEnabled: false });
    });
  });

  describe('resume', () => {
    it('keeps an overdue cursor, so that the misfire policy gets the gap', async () => {
      const created = await create();
      await store.manager.pause(name, { actor: 'ops' });
      await store.setNow(NOON + DAY);

      expect(await store.manager.resume(name, { actor: 'ops' })).toEqual({
        ...created,
        version: 3,
        updatedAtUnixMs: NOON + DAY,
        updatedBy: 'ops',
      });
    });

    it('starts one that was created disabled from now, with nothing to catch up', async () => {
      await create({ enabled: false });
      await store.setNow(NOON + DAY);

      expect(await store.manager.resume(name)).toMatchObject({
        state: 'armed',
        nextFireAtUnixMs: NOON + DAY + HOUR,
      });
    });

    it('of one that is armed or spent changes nothing', async () => {
      const created = await create();

      expect(await store.manager.resume(name)).toEqual(created);
      await store.database.query('update crn_schedule set next_fire_at_unix_ms = null where name = $1', [
        name,
      ]);
      expect(await store.manager.resume(name)).toMatchObject({ state: 'spent', version: 1 });
    });

    it('repairs a parked one whose row can be evaluated again', async () => {
      await create();
      await store.database.query(
        `update crn_schedule set parked_reason = 'why', next_fire_at_unix_ms = null where name = $1`,
        [name],
      );
      const resumed = await store.manager.resume(name);

      expect(resumed).toMatchObject({ state: 'armed', nextFireAtUnixMs: NOON + HOUR });
      expect(resumed).not.toHaveProperty('parkedReason');
    });

    it('says that one is spent that has nothing left to fire', async () => {
      await create({ trigger: once(NOON + 1), enabled: false });
      await store.setNow(NOON + 2);

      const resumed = await store.manager.resume(name);
      expect(resumed).toMatchObject({ state: 'spent', isEnabled: true });
      expect(resumed).not.toHaveProperty('pausedBy');
    });

    it('refuses a parked one whose row still cannot be evaluated', async () => {
      await create({ enabled: false });
      await store.database.query(
        `update crn_schedule set expr = 'bad', parked_reason = 'why', next_fire_at_unix_ms = null where name = $1`,
        [name],
      );
      expect(await rejectionOf(store.manager.resume(name))).toMatchObject({ code: 2703 });
    });
  });

  describe('triggerNow', () => {
    it('persists one request and moves no cursor', async () => {
      const created = await create();
      const { requestId } = await store.manager.triggerNow(name, { actor: 'ops' });

      expect(await requests()).toMatchObject([
        {
          id: requestId,
          origin: 'manual',
          scheduled_at_unix_ms: String(NOON),
          idempotency_key: requestId,
          created_by: 'ops',
        },
      ]);
      expect((await store.manager.get(name)).schedule).toMatchObject(created);
    });

    it('persists one for each call', async () => {
      await create();
      const receipts = [await store.manager.triggerNow(name), await store.manager.triggerNow(name)];

      expect((await requests()).map((row) => row.id)).toEqual(receipts.map((receipt) => receipt.requestId));
    });

    it('works for a spent schedule', async () => {
      await create({ trigger: once(NOON + 1) });
      await store.database.query('update crn_schedule set next_fire_at_unix_ms = null where name = $1', [
        name,
      ]);
      await store.manager.triggerNow(name);

      expect(await requests()).toHaveLength(1);
    });

    it('refuses a paused schedule with 2702, and nothing changes', async () => {
      await create();
      await store.manager.pause(name);
      const before = await store.contents();
      const error = await rejectionOf(store.manager.triggerNow(name));

      expect(error).toBeInstanceOf(ScheduleDisabledError);
      expect(error).toMatchObject({ code: 2702, message: expect.stringMatching(/is paused; resume it/) });
      expect(await store.contents()).toEqual(before);
    });
  });

  describe('delete', () => {
    it('removes the schedule and its requests, and keeps its journal under its name', async () => {
      const { id } = await create({ trigger: cron('* * * * *') });
      await store.setNow(NOON + 2 * MINUTE);
      await store.manager.patch(name, { trigger: every('1h') });
      await store.manager.triggerNow(name);
      await store.manager.delete(name);

      await expect(store.manager.get(name)).rejects.toThrow(ScheduleNotFoundError);
      expect(
        await store.database.query('select * from crn_fire_request where schedule_id = $1', [id]),
      ).toEqual([]);
      expect(await store.manager.listRuns({ scheduleName: name })).toMatchObject([{ missedCount: 2 }]);
    });

    it('frees the name: the next schedule of it is another one', async () => {
      const first = await create();
      await store.manager.delete(name);
      const second = await create({ jobName: 'other' });

      expect(second.id).not.toBe(first.id);
      expect(second.version).toBe(1);
    });
  });

  it('refuses an unknown name with 2700 everywhere', async () => {
    const { manager } = store;
    for (const error of [
      await rejectionOf(manager.delete(name)),
      await rejectionOf(manager.pause(name)),
      await rejectionOf(manager.resume(name)),
      await rejectionOf(manager.triggerNow(name)),
      await rejectionOf(manager.get(name)),
    ]) {
      expect(error).toBeInstanceOf(ScheduleNotFoundError);
      expect(error).toMatchObject({ code: 2700 });
    }
  });
});
