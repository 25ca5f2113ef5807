import {
  cron,
  every,
  JobNotRegisteredError,
  once,
  ScheduleExistsError,
  ScheduleInvalidError,
  TriggerInvalidError,
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

describe('ScheduleManager.create', () => {
  let store: StillStore;

  beforeAll(async () => {
    store = await startStillStore();
  });

  afterAll(() => store.close());

  it('stores a schedule with every default, and arms it for its first occurrence after now', async () => {
    const name = store.freshName();
    const created = await store.manager.create({ name, jobName: 'job', trigger: cron('0 * * * *') });

    expect(created).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7/),
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
      version: 1,
      createdAtUnixMs: NOON,
      createdBy: 'system',
      updatedAtUnixMs: NOON,
      updatedBy: 'system',
    });
    expect((await store.manager.get(name)).schedule).toMatchObject(created);
  });

  it('stores everything that is given, and names its actor', async () => {
    const name = store.freshName();
    const params = { to: ['a@b.c'], '': 0, 'nul \0 inside': '\uD800', nested: { deep: [1.5, null, true] } };
    const created = await store.manager.create(
      {
        name,
        jobName: 'other',
        trigger: every('90s'),
        params,
        startsAt: new Date(NOON + HOUR),
        endsAt: NOON + DAY,
        misfirePolicy: 'skip',
        concurrencyPolicy: 'allow',
        recover: true,
        timeout: '5m',
      },
      { actor: 'Zoë (ops) 🚀' },
    );

    expect(created).toMatchObject({
      kind: 'interval',
      everyMs: 90_000,
      params,
      startsAtUnixMs: NOON + HOUR,
      endsAtUnixMs: NOON + DAY,
      anchorAtUnixMs: NOON + HOUR,
      nextFireAtUnixMs: NOON + HOUR,
      misfirePolicy: 'skip',
      concurrencyPolicy: 'allow',
      recover: true,
      timeoutMs: 300_000,
      createdBy: 'Zoë (ops) 🚀',
      updatedBy: 'Zoë (ops) 🚀',
    });
    expect((await store.manager.get(name)).schedule).toMatchObject(created);
  });

  it.each([
    ['null', null],
    ['a number', -0.5],
    ['a text', 'nul \0 and lone \uDC00'],
    ['a key named __proto__', JSON.parse('{"__proto__":{"isAdmin":true}}')],
  ])('keeps %s as params', async (_, params) => {
    const name = store.freshName();
    await store.manager.create({ name, jobName: 'job', trigger: cron('0 * * * *'), params });
    const { schedule } = await store.manager.get(name);

    expect(JSON.stringify(schedule.params)).toBe(JSON.stringify(params));
  });

  it('keeps params of the largest size', async () => {
    const name = store.freshName();
    const params = 'x'.repeat(1024 * 1024 - 2);
    const created = await store.manager.create({ name, jobName: 'job', trigger: cron('0 * * * *'), params });

    expect(created.params).toBe(params);
  });

  it('anchors an interval at its creation', async () => {
    const created = await store.manager.create({
      name: store.freshName(),
      jobName: 'job',
      trigger: every('7m'),
    });

    expect(created).toMatchObject({ anchorAtUnixMs: NOON, nextFireAtUnixMs: NOON + 7 * MINUTE });
  });

  it('never fires for a time before its creation, not even for this very instant', async () => {
    const name = store.freshName();
    const created = await store.manager.create({ name, jobName: 'job', trigger: cron('0 0 1 * *') });
    const atNoon = await store.manager.create({
      name: store.freshName(),
      jobName: 'job',
      trigger: cron('0 12 * * *'),
    });

    expect(created.nextFireAtUnixMs).toBe(Date.UTC(2026, 1, 1));
    expect(atNoon.nextFireAtUnixMs).toBe(NOON + DAY);
    expect(await store.manager.listRuns({ scheduleName: name })).toEqual([]);
  });

  it('creates a disabled one without a cursor, paused by its creator', async () => {
    const created = await store.manager.create(
      { name: store.freshName(), jobName: 'job', trigger: cron('0 * * * *'), enabled: false },
      { actor: 'ops' },
    );

    expect(created).toMatchObject({
      isEnabled: false,
      state: 'paused',
      pausedAtUnixMs: NOON,
      pausedBy: 'ops',
    });
    expect(created.nextFireAtUnixMs).toBeUndefined();
  });

  it('accepts a disabled one that would never fire', async () => {
    const created = await store.manager.create({
      name: store.freshName(),
      jobName: 'job',
      trigger: once(NOON - 1),
      enabled: false,
    });

    expect(created.state).toBe('paused');
  });

  it.each(['日次レポート', 'تقرير يومي', '🚀'.repeat(128), 'Mixed Case', 'quote \' and " and \\ and %'])(
    'keeps the name %j apart from every other',
    async (name) => {
      await store.manager.create({ name, jobName: 'job', trigger: cron('0 * * * *') });

      expect((await store.manager.get(name)).schedule.name).toBe(name);
      await expect(store.manager.get(`${name} `)).rejects.toMatchObject({ code: 2700 });
    },
  );

  it.each([
    ['a taken name', { name: 'taken' }, ScheduleExistsError, 2701, /named "taken" exists already/],
    ['an unknown job', { jobName: 'nobody' }, JobNotRegisteredError, 2704, /Registered: "job", "other"/],
    ['a bad trigger', { trigger: { kind: 'cron', expr: 'bad' } }, TriggerInvalidError, 2703, /bad/],
    ['a bad policy', { misfirePolicy: 'later' }, ScheduleInvalidError, 2706, /misfirePolicy must be one of/],
    ['a time in the past', { trigger: once(NOON) }, ScheduleInvalidError, 2706, /would never fire/],
    [
      'a window that is over',
      { startsAt: NOON - DAY, endsAt: NOON - HOUR },
      ScheduleInvalidError,
      2706,
      /would never fire/,
    ],
  ])('refuses %s, and nothing changes', async (_, given, type, code, message) => {
    if ((await store.manager.list()).every((schedule) => schedule.name !== 'taken')) {
      await store.manager.create({ name: 'taken', jobName: 'job', trigger: cron('0 * * * *') });
    }
    const before = await store.contents();
    const spec = { name: 'refused', jobName: 'job', trigger: cron('0 * * * *'), ...given };
    const error = await rejectionOf(store.manager.create(spec as never));

    expect(error).toBeInstanceOf(type);
    expect(error).toMatchObject({ code, message: expect.stringMatching(message) });
    expect(await store.contents()).toEqual(before);
  });

  it('refuses an expectedVersion: there is nothing that could have one', async () => {
    const spec = { name: store.freshName(), jobName: 'job', trigger: cron('0 * * * *') };

    await expect(store.manager.create(spec, { expectedVersion: 1 } as object)).rejects.toThrow(
      ScheduleInvalidError,
    );
  });

  it('needs a name', async () => {
    const created = store.manager.create({ jobName: 'job', trigger: cron('0 * * * *') });

    await expect(created).rejects.toMatchObject({
      code: 2706,
      message: expect.stringMatching(/^name is required/),
    });
  });
});
