import {
  cron,
  every,
  JobNotRegisteredError,
  once,
  RUN_MISSED_EVENT,
  type RunMissedEvent,
  ScheduleConflictError,
  ScheduleExistsError,
  ScheduleInvalidError,
  ScheduleNotFoundError,
  type ScheduleSpec,
  TriggerInvalidError,
} from '../../../lib/index.js';
import { untilTrue } from '../../support/database.js';
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

describe('changing a schedule', () => {
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
    return store.manager.create({ name, ...HOURLY, ...given }, { actor: 'creator' });
  }

  /** Puts the cursor back, as downtime would: the schedule is overdue by then. */
  async function overdueSince(cursorUnixMs: number) {
    await store.database.query('update crn_schedule set next_fire_at_unix_ms = $1 where name = $2', [
      cursorUnixMs,
      name,
    ]);
  }

  async function runs() {
    return store.manager.listRuns({ scheduleName: name });
  }

  describe('update', () => {
    it('replaces the whole definition: what is omitted takes its default, and enables', async () => {
      const created = await create({
        params: { a: 1 },
        startsAt: NOON - DAY,
        endsAt: NOON + DAY,
        misfirePolicy: 'skip',
        concurrencyPolicy: 'allow',
        recover: true,
        timeout: 5_000,
      });
      await store.manager.pause(name);
      await store.setNow(NOON + 1);
      const updated = await store.manager.update(name, HOURLY, { actor: 'editor' });

      expect(updated).toEqual({
        id: created.id,
        name,
        jobName: 'job',
        kind: 'cron',
        expr: '0 * * * *',
        timezone: 'UTC',
        anchorAtUnixMs: NOON,
        misfirePolicy: 'fire_now',
        concurrencyPolicy: 'forbid',
        recover: false,
        timeoutMs: 0,
        isEnabled: true,
        state: 'armed',
        nextFireAtUnixMs: NOON + HOUR,
        version: 3,
        createdAtUnixMs: NOON,
        createdBy: 'creator',
        updatedAtUnixMs: NOON + 1,
        updatedBy: 'editor',
      });
    });

    it('changes the kind of the trigger, and leaves nothing of the old one', async () => {
      await create();
      const interval = await store.manager.update(name, { jobName: 'job', trigger: every('5m') });
      const single = await store.manager.update(name, { jobName: 'job', trigger: once(NOON + 5) });

      expect(interval).toMatchObject({
        kind: 'interval',
        everyMs: 300_000,
        nextFireAtUnixMs: NOON + 5 * MINUTE,
      });
      expect(interval).not.toHaveProperty('expr');
      expect(interval).not.toHaveProperty('timezone');
      expect(single).toMatchObject({ kind: 'once', fireAtUnixMs: NOON + 5, nextFireAtUnixMs: NOON + 5 });
      expect(single).not.toHaveProperty('everyMs');
    });

    it('can disable: the cursor stays', async () => {
      await create();
      const updated = await store.manager.update(name, { ...HOURLY, enabled: false }, { actor: 'editor' });

      expect(updated).toMatchObject({
        state: 'paused',
        pausedAtUnixMs: NOON,
        pausedBy: 'editor',
        nextFireAtUnixMs: NOON + HOUR,
      });
    });

    it('renames: the old name is free, and the journal is found by both', async () => {
      const { id } = await create({ trigger: cron('* * * * *') });
      await overdueSince(NOON);
      await store.setNow(NOON + 10 * MINUTE);
      const renamed = `${name} renamed`;
      await store.manager.update(name, { ...HOURLY, name: renamed });
      const twin = await create();

      expect((await store.manager.get(renamed)).schedule.id).toBe(id);
      expect(twin.id).not.toBe(id);
      const [run] = await store.manager.listRuns({ scheduleName: renamed });
      expect(run).toMatchObject({ scheduleId: id, scheduleName: name, status: 'missed' });
      expect(await runs()).toEqual([run]);
    });
  });

  describe('patch', () => {
    it('changes what is given and keeps the rest, the pause and the cursor included', async () => {
      await create({ params: { a: 1 }, recover: true, timeout: 5_000, endsAt: NOON + DAY });
      const paused = await store.manager.pause(name, { actor: 'pauser' });
      await store.setNow(NOON + 1);
      const patched = await store.manager.patch(
        name,
        Object.assign({ timeout: '1m' }, { recover: undefined as never }),
        { actor: 'patcher' },
      );

      expect(patched).toEqual({
        ...paused,
        timeoutMs: 60_000,
        version: 3,
        updatedAtUnixMs: NOON + 1,
        updatedBy: 'patcher',
      });
    });

    it('drops the limit of the backfill with its policy, and keeps it where the policy is restated', async () => {
      await create({ misfirePolicy: 'backfill', backfillLimit: 24 });

      expect(await store.manager.patch(name, { misfirePolicy: 'backfill', timeout: '1m' })).toMatchObject({
        backfillLimit: 24,
        timeoutMs: MINUTE,
      });
      expect(await store.manager.patch(name, { misfirePolicy: 'skip' })).not.toHaveProperty('backfillLimit');
    });

    it('changes nothing where everything is restated', async () => {
      const definition = {
        ...HOURLY,
        params: { a: 1 },
        startsAt: NOON - DAY,
        endsAt: NOON + DAY,
        misfirePolicy: 'backfill',
        backfillLimit: 24,
        concurrencyPolicy: 'queue',
        recover: true,
        retry: { maxAttempts: 3 },
        timeout: 5_000,
      } as const;
      await create(definition);
      const paused = await store.manager.pause(name, { actor: 'pauser', note: 'why', until: NOON + HOUR });
      await store.setNow(NOON + 2 * HOUR);

      for (const [field, value] of Object.entries({ ...definition, name, enabled: false })) {
        expect(await store.manager.patch(name, { [field]: value })).toEqual({
          ...paused,
          version: expect.any(Number),
          updatedAtUnixMs: NOON + 2 * HOUR,
          updatedBy: 'system',
        });
      }
      expect(await runs()).toEqual([]);
    });

    it('changes nothing of the definition when nothing is given', async () => {
      const created = await create({ params: { '10': 'b', '9': 'a', big: 12345678901234567000 } });
      const patched = await store.manager.patch(name, {});

      expect(patched).toEqual({ ...created, version: 2, updatedBy: 'system' });
    });

    it('removes a bound with null, and sets params to null with null', async () => {
      await create({ params: { a: 1 }, startsAt: NOON - DAY, endsAt: NOON + DAY });
      const patched = await store.manager.patch(name, { startsAt: null, endsAt: null, params: null });

      expect(patched).not.toHaveProperty('startsAtUnixMs');
      expect(patched).not.toHaveProperty('endsAtUnixMs');
      expect(patched.params).toBeNull();
    });

    it('keeps the job of a schedule whose handler this node does not have, and refuses another such', async () => {
      await create();
      await store.database.query(`update crn_schedule set job_name = 'elsewhere' where name = $1`, [name]);

      expect(await store.manager.patch(name, { recover: true })).toMatchObject({ jobName: 'elsewhere' });
      await expect(store.manager.patch(name, { jobName: 'nobody' })).rejects.toThrow(JobNotRegisteredError);
      await expect(store.manager.update(name, { ...HOURLY, jobName: 'elsewhere' })).rejects.toThrow(
        JobNotRegisteredError,
      );
    });

    it('enables and disables', async () => {
      await create();

      expect((await store.manager.patch(name, { enabled: false })).state).toBe('paused');
      const enabled = await store.manager.patch(name, { enabled: true });
      expect(enabled).toMatchObject({ state: 'armed', nextFireAtUnixMs: NOON + HOUR });
      expect(enabled).not.toHaveProperty('pausedBy');
    });
  });

  describe('the cursor', () => {
    it.each([
      ['params', { params: { a: 2 } }],
      ['policies', { misfirePolicy: 'skip', concurrencyPolicy: 'allow', recover: true }],
      ['the timeout', { timeout: 5 }],
      ['the job', { jobName: 'other' }],
      ['the same trigger', { trigger: cron('0 * * * *', 'UTC') }],
      ['nothing', {}],
    ] as const)('stays overdue when %s are given, and nothing is journaled', async (_, changes) => {
      await create();
      await overdueSince(NOON - 3 * HOUR);

      expect((await store.manager.patch(name, changes)).nextFireAtUnixMs).toBe(NOON - 3 * HOUR);
      expect((await store.manager.update(name, { ...HOURLY, ...changes })).nextFireAtUnixMs).toBe(
        NOON - 3 * HOUR,
      );
      expect(await runs()).toEqual([]);
    });

    it.each([
      ['the expression', { trigger: cron('30 * * * *') }, NOON + 30 * MINUTE],
      ['the zone', { trigger: cron('0 * * * *', 'Asia/Kolkata') }, NOON + 30 * MINUTE],
      ['the kind', { trigger: every('7m') }, NOON + 7 * MINUTE],
      ['startsAt', { startsAt: NOON + DAY }, NOON + DAY],
      ['endsAt', { endsAt: NOON + DAY }, NOON + HOUR],
    ] as const)('starts from now when %s changes', async (_, changes, expected) => {
      await create();

      expect((await store.manager.patch(name, changes)).nextFireAtUnixMs).toBe(expected);
      expect(await runs()).toEqual([]);
    });

    it('leaves overdue occurrences as one missed run when the timing changes, and tells about it (scenario 45)', async () => {
      const { id } = await create({ trigger: cron('* * * * *') });
      await overdueSince(NOON - 10 * MINUTE);
      const events: RunMissedEvent[] = [];
      store.node.events.on(RUN_MISSED_EVENT, (event: RunMissedEvent) => events.push(event));
      const patched = await store.manager.patch(name, { trigger: every('7m') }, { actor: 'editor' });

      expect(patched.nextFireAtUnixMs).toBe(NOON + 7 * MINUTE);
      expect(await runs()).toEqual([
        {
          id: expect.any(String),
          scheduleId: id,
          scheduleName: name,
          jobName: 'job',
          origin: 'schedule',
          scheduledAtUnixMs: NOON - 10 * MINUTE,
          occurrenceAtUnixMs: NOON - 10 * MINUTE,
          claimedAtUnixMs: NOON,
          status: 'missed',
          reason: 'timing_changed',
          missedCount: 11,
          attempt: 1,
          idempotencyKey: expect.any(String),
          createdAtUnixMs: NOON,
          createdBy: 'system',
        },
      ]);
      await untilTrue('the event is published', () => events.length > 0);
      expect(events).toMatchObject([{ scheduleName: name, missedCount: 11 }]);
    });

    it('tells about nothing that was journaled before, as where a cursor was moved back by hand', async () => {
      await create({ trigger: cron('* * * * *') });
      const events: RunMissedEvent[] = [];
      store.node.events.on(RUN_MISSED_EVENT, (event: RunMissedEvent) => events.push(event));
      await overdueSince(NOON - 10 * MINUTE);
      await store.manager.patch(name, { trigger: cron('*/2 * * * *') });
      await overdueSince(NOON - 10 * MINUTE);
      await store.manager.patch(name, { trigger: every('7m') });
      // Events are published one after the other: when this one has come, an earlier one would have.
      await overdueSince(NOON - 9 * MINUTE);
      await store.manager.patch(name, { trigger: every('8m') });
      await untilTrue('the last event is published', () =>
        events.some((event) => event.scheduledAtUnixMs === NOON - 9 * MINUTE),
      );

      expect(events.map(({ scheduledAtUnixMs }) => scheduledAtUnixMs)).toEqual([
        NOON - 10 * MINUTE,
        NOON - 9 * MINUTE,
      ]);
      expect(await runs()).toHaveLength(2);
    });

    it('does so also while paused', async () => {
      await create({ trigger: cron('* * * * *') });
      await overdueSince(NOON - 10 * MINUTE);
      await store.manager.pause(name);
      const patched = await store.manager.patch(name, { trigger: cron('0 * * * *') });

      expect(patched).toMatchObject({ state: 'paused', nextFireAtUnixMs: NOON + HOUR });
      expect(await runs()).toMatchObject([{ status: 'missed', missedCount: 11 }]);
    });

    it('counts overdue occurrences only up to the old endsAt', async () => {
      await create({ trigger: cron('* * * * *'), endsAt: NOON + 5 * MINUTE });
      await store.setNow(NOON + HOUR);
      await store.manager.patch(name, { endsAt: null });

      expect(await runs()).toMatchObject([{ missedCount: 5, scheduledAtUnixMs: NOON + MINUTE }]);
    });

    it('is computed when a schedule becomes enabled without one', async () => {
      await create({ enabled: false });
      await store.setNow(NOON + DAY);

      expect(await store.manager.patch(name, { recover: true })).not.toHaveProperty('nextFireAtUnixMs');
      expect((await store.manager.patch(name, { enabled: true })).nextFireAtUnixMs).toBe(NOON + DAY + HOUR);
      expect(await runs()).toEqual([]);
    });

    it('keeps the phase of an interval through every change but that of startsAt', async () => {
      await create({ trigger: every('1h') });
      await store.setNow(NOON + 10 * MINUTE);

      expect(await store.manager.update(name, { jobName: 'job', trigger: every('7m') })).toMatchObject({
        anchorAtUnixMs: NOON,
        nextFireAtUnixMs: NOON + 14 * MINUTE,
      });
      expect(await store.manager.patch(name, { startsAt: NOON + 5 * MINUTE })).toMatchObject({
        anchorAtUnixMs: NOON + 5 * MINUTE,
        nextFireAtUnixMs: NOON + 12 * MINUTE,
      });
      expect(await store.manager.patch(name, { startsAt: null })).toMatchObject({
        anchorAtUnixMs: NOON,
        nextFireAtUnixMs: NOON + 14 * MINUTE,
      });
    });

    it('evaluates a parked schedule anew', async () => {
      await create();
      await store.database.query(
        `update crn_schedule set expr = 'bad', parked_reason = 'corrupted', next_fire_at_unix_ms = null where name = $1`,
        [name],
      );

      expect((await store.manager.get(name)).schedule).toMatchObject({
        state: 'parked',
        parkedReason: 'corrupted',
      });
      await expect(store.manager.patch(name, { recover: true })).rejects.toThrow(TriggerInvalidError);
      const repaired = await store.manager.patch(name, { trigger: cron('0 * * * *') });
      expect(repaired).toMatchObject({ state: 'armed', nextFireAtUnixMs: NOON + HOUR });
      expect(repaired).not.toHaveProperty('parkedReason');
    });

    it('journals nothing for an overdue row that cannot be evaluated when its timing is replaced', async () => {
      await create();
      await overdueSince(NOON - HOUR);
      await store.database.query(`update crn_schedule set timezone = 'Foo/Bar' where name = $1`, [name]);
      const repaired = await store.manager.update(name, HOURLY);

      expect(repaired).toMatchObject({ state: 'armed', nextFireAtUnixMs: NOON + HOUR });
      expect(await runs()).toEqual([]);
    });
  });

  describe('refusals', () => {
    const refused: [string, Partial<ScheduleSpec>, new (...given: never[]) => Error][] = [
      ['a taken name', { name: 'taken' }, ScheduleExistsError],
      ['an unknown job', { jobName: 'nobody' }, JobNotRegisteredError],
      ['a bad trigger', { trigger: { kind: 'interval', everyMs: 5 } }, TriggerInvalidError],
      ['a bad timeout', { timeout: -1 }, ScheduleInvalidError],
      ['a trigger in the past', { trigger: once(NOON) }, ScheduleInvalidError],
      ['a window that is over', { endsAt: NOON - 1 }, ScheduleInvalidError],
    ];

    it.each(refused)(
      '%s changes nothing, not even where occurrences are overdue',
      async (_, changes, type) => {
        await store.manager.create({ name: 'taken', ...HOURLY }).catch(() => undefined);
        await create();
        await overdueSince(NOON - HOUR);
        const before = await store.contents();

        expect(await rejectionOf(store.manager.update(name, { ...HOURLY, ...changes }))).toBeInstanceOf(type);
        expect(await rejectionOf(store.manager.patch(name, changes))).toBeInstanceOf(type);
        expect(await store.contents()).toEqual(before);
      },
    );

    it('a schedule without a further occurrence cannot be enabled by a change', async () => {
      await create({ trigger: once(NOON + 1), enabled: false });
      await store.setNow(NOON + 2);
      const before = await store.contents();

      expect(await rejectionOf(store.manager.patch(name, { enabled: true }))).toMatchObject({ code: 2706 });
      expect(await store.contents()).toEqual(before);
    });

    it('an unknown name is 2700', async () => {
      for (const error of [
        await rejectionOf(store.manager.update('nobody', HOURLY)),
        await rejectionOf(store.manager.patch('nobody', {})),
      ]) {
        expect(error).toBeInstanceOf(ScheduleNotFoundError);
        expect(error).toMatchObject({ code: 2700, message: 'There is no schedule named "nobody".' });
      }
    });

    it('another version than the expected is 2707, and nothing is overwritten', async () => {
      const { version } = await create();
      const first = await store.manager.patch(name, { timeout: 1 }, { expectedVersion: version });
      const before = await store.contents();
      const expectedVersion = version;

      for (const error of [
        await rejectionOf(store.manager.update(name, HOURLY, { expectedVersion })),
        await rejectionOf(store.manager.patch(name, { timeout: 2 }, { expectedVersion })),
        await rejectionOf(store.manager.delete(name, { expectedVersion })),
        await rejectionOf(store.manager.pause(name, { expectedVersion })),
        await rejectionOf(store.manager.resume(name, { expectedVersion })),
        await rejectionOf(store.manager.triggerNow(name, { expectedVersion })),
      ]) {
        expect(error).toBeInstanceOf(ScheduleConflictError);
        expect(error).toMatchObject({ code: 2707, message: expect.stringMatching(/has version 2, not 1/) });
      }
      expect(await store.contents()).toEqual(before);
      expect(await store.manager.update(name, HOURLY, { expectedVersion: first.version })).toMatchObject({
        version: 3,
      });
    });
  });
});
