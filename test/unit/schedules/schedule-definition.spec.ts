import fc from 'fast-check';
import { ScheduleInvalidError } from '../../../lib/schedules/index.js';
import { defineSchedule, MAX_NAME_LENGTH, validName } from '../../../lib/schedules/schedule-definition.js';
import { CronStoreError, cron, MAX_DURATION_MS, TriggerInvalidError } from '../../../lib/index.js';

const VALID = { name: 'nightly', jobName: 'digest', trigger: cron('0 2 * * *') };

function messageOf(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    expect(error).toBeInstanceOf(CronStoreError);
    return (error as CronStoreError).message;
  }
  throw new Error('Nothing was thrown.');
}

function throws(): never {
  throw new Error('no reading');
}

describe('defineSchedule', () => {
  it('fills in every default', () => {
    expect(defineSchedule(VALID)).toEqual({
      name: 'nightly',
      jobName: 'digest',
      trigger: { kind: 'cron', expr: '0 2 * * *', timezone: 'UTC' },
      misfirePolicy: 'fire_now',
      concurrencyPolicy: 'forbid',
      recover: false,
      timeoutMs: 0,
      isEnabled: true,
    });
  });

  it('takes everything that is given', () => {
    expect(
      defineSchedule({
        ...VALID,
        params: { to: ['a'] },
        startsAt: new Date(1_000),
        endsAt: 2_000,
        misfirePolicy: 'skip',
        concurrencyPolicy: 'allow',
        recover: true,
        timeout: '1h30m',
        enabled: false,
      }),
    ).toMatchObject({
      paramsJson: '{"to":["a"]}',
      startsAtUnixMs: 1_000,
      endsAtUnixMs: 2_000,
      misfirePolicy: 'skip',
      concurrencyPolicy: 'allow',
      recover: true,
      timeoutMs: 5_400_000,
      isEnabled: false,
    });
  });

  it('treats undefined as omitted', () => {
    const omitted = Object.fromEntries(
      [
        'params',
        'startsAt',
        'endsAt',
        'misfirePolicy',
        'concurrencyPolicy',
        'recover',
        'timeout',
        'enabled',
      ].map((field) => [field, undefined]),
    );

    expect(defineSchedule({ ...VALID, ...omitted })).toEqual(defineSchedule(VALID));
  });

  it('falls back to the default name, and prefers its own', () => {
    const { name: _, ...nameless } = VALID;

    expect(defineSchedule(nameless, 'fallback').name).toBe('fallback');
    expect(defineSchedule(VALID, 'fallback').name).toBe('nightly');
    expect(() => defineSchedule(nameless)).toThrow(/^name is required/);
  });

  it('stores the trigger in its canonical form', () => {
    expect(
      defineSchedule({ ...VALID, trigger: { kind: 'cron', expr: 'CRON_TZ=Asia/Shanghai 0 2 * * *' } })
        .trigger,
    ).toEqual({ kind: 'cron', expr: '0 2 * * *', timezone: 'Asia/Shanghai' });
  });

  it.each([
    [null, /^Expected a schedule as an object with name, jobName/],
    [undefined, /^Expected a schedule as an object with name, jobName/],
    ['text', /^Expected a schedule as an object with name, jobName/],
    [42, /^Expected a schedule as an object with name, jobName/],
    [[VALID], /^Expected a schedule as an object with name, jobName/],
    [() => VALID, /^Expected a schedule as an object with name, jobName/],
    [{}, /is required/],
    [
      { ...VALID, jobname: 'typing mistake' },
      /'jobname' is no field of a schedule; the fields are name, jobName/,
    ],
    [{ ...VALID, cron: '* * * * *' }, /'cron' is no field/],
    [JSON.parse('{"jobName":"a","name":"b","__proto__":{}}'), /'__proto__' is no field/],
    [{ ...VALID, name: '' }, /^name is required/],
    [{ ...VALID, name: 5 }, /^name is required/],
    [{ ...VALID, jobName: undefined }, /^jobName is required/],
    [{ ...VALID, jobName: null }, /^jobName is required/],
    [{ ...VALID, jobName: ' digest' }, /jobName " digest" starts or ends with white space/],
    [{ ...VALID, startsAt: 'tomorrow' }, /^startsAt must be a valid Date or a whole number/],
    [{ ...VALID, startsAt: null }, /^startsAt must be/],
    [{ ...VALID, startsAt: new Date(Number.NaN) }, /^startsAt must be/],
    [{ ...VALID, startsAt: 1.5 }, /^startsAt must be/],
    [{ ...VALID, endsAt: Infinity }, /^endsAt must be/],
    [{ ...VALID, endsAt: 1e308 }, /^endsAt must be/],
    [{ ...VALID, endsAt: 8_640_000_000_000_001 }, /^endsAt must be/],
    [{ ...VALID, startsAt: 5, endsAt: 5 }, /^endsAt must be after startsAt/],
    [{ ...VALID, startsAt: 6, endsAt: 5 }, /^endsAt must be after startsAt/],
    [
      { ...VALID, misfirePolicy: 'FIRE_NOW' },
      /^misfirePolicy must be one of fire_now, skip, backfill, not 'FIRE_NOW'/,
    ],
    [{ ...VALID, misfirePolicy: null }, /^misfirePolicy must be one of/],
    [{ ...VALID, misfirePolicy: ['skip'] }, /^misfirePolicy must be one of/],
    [
      { ...VALID, concurrencyPolicy: 'reject' },
      /^concurrencyPolicy must be one of forbid, allow, queue, replace, not 'reject'/,
    ],
    [{ ...VALID, backfillLimit: 3 }, /^backfillLimit goes with misfirePolicy: "backfill" only/],
    [
      { ...VALID, misfirePolicy: 'backfill', backfillLimit: 0 },
      /^backfillLimit must be a whole number from 1/,
    ],
    [
      { ...VALID, misfirePolicy: 'backfill', backfillLimit: 1.5 },
      /^backfillLimit must be a whole number from 1/,
    ],
    [{ ...VALID, retry: {} }, /^retry.maxAttempts must be a whole number from 1 to 100/],
    [{ ...VALID, retry: { maxAttempts: 101 } }, /^retry.maxAttempts must be a whole number from 1 to 100/],
    [{ ...VALID, retry: { maxAttempts: 2, factor: 0.5 } }, /^retry.factor must be a number from 1 to 100/],
    [{ ...VALID, retry: { maxAttempts: 2, delay: 5 } }, /'delay' is no field of retry/],
    [
      { ...VALID, retry: { maxAttempts: 2, backoffMs: 10, maxBackoffMs: 5 } },
      /^retry.maxBackoffMs must not be shorter/,
    ],
    [{ ...VALID, recover: 'yes' }, /^recover must be true or false, not 'yes'/],
    [{ ...VALID, recover: 1 }, /^recover must be true or false/],
    [{ ...VALID, enabled: 'false' }, /^enabled must be true or false/],
    [{ ...VALID, enabled: null }, /^enabled must be true or false/],
    [{ ...VALID, timeout: -1 }, /^timeout must be whole milliseconds/],
    [{ ...VALID, timeout: 1.5 }, /^timeout must be/],
    [{ ...VALID, timeout: 1e308 }, /^timeout must be/],
    [{ ...VALID, timeout: MAX_DURATION_MS + 1 }, /^timeout must be/],
    [{ ...VALID, timeout: Number.NaN }, /^timeout must be/],
    [{ ...VALID, timeout: null }, /^timeout must be/],
    [{ ...VALID, timeout: {} }, /^timeout must be/],
    [{ ...VALID, timeout: '5' }, /^timeout: .*unit is missing/],
    [{ ...VALID, timeout: '-5s' }, /^timeout: .*not a duration/],
    [{ ...VALID, timeout: '1d' }, /^timeout: .*not a duration/],
    [{ ...VALID, timeout: '300000h'.repeat(9) }, /^timeout: /],
    [{ ...VALID, params: Number.NaN }, /^params is NaN/],
  ])('refuses %j with what to change', (spec, message) => {
    expect(() => defineSchedule(spec)).toThrow(ScheduleInvalidError);
    expect(messageOf(() => defineSchedule(spec))).toMatch(message);
  });

  it.each([
    undefined,
    null,
    '* * * * *',
    { kind: 'cron' },
    { kind: 'cron', expr: 'bad' },
    { kind: 'weekly' },
  ])('refuses the trigger %j as a trigger', (trigger) => {
    expect(() => defineSchedule({ ...VALID, trigger })).toThrow(TriggerInvalidError);
  });

  it.each([
    ['an object with the prototype of dates', Object.create(Date.prototype) as unknown],
    ['a proxy of a date', new Proxy(new Date(), {})],
  ])('refuses %s as an instant', (_, endsAt) => {
    expect(() => defineSchedule({ ...VALID, endsAt })).toThrow(/^endsAt must be a valid Date/);
  });

  it('accepts the extremes', () => {
    expect(
      defineSchedule({
        ...VALID,
        startsAt: -8_640_000_000_000_000,
        endsAt: 8_640_000_000_000_000,
        timeout: MAX_DURATION_MS,
      }),
    ).toMatchObject({ timeoutMs: MAX_DURATION_MS });
  });

  it('takes what the object itself has, nothing that it inherits', () => {
    const inherited: unknown = Object.create({ enabled: false }, Object.getOwnPropertyDescriptors(VALID));

    expect(defineSchedule(inherited).isEnabled).toBe(true);
    expect(() => defineSchedule(Object.create(VALID))).toThrow(/is required/);
  });

  it('refuses what cannot be read', () => {
    const revoked = Proxy.revocable({}, {});
    revoked.revoke();

    for (const spec of [
      revoked.proxy,
      new Proxy(VALID, { ownKeys: throws }),
      new Proxy(VALID, { get: throws }),
      { ...VALID, recover: { [Symbol.for('nodejs.util.inspect.custom')]: throws } },
      Object.defineProperty({ ...VALID }, 'timeout', { get: throws, enumerable: true }),
    ]) {
      expect(() => defineSchedule(spec)).toThrow(ScheduleInvalidError);
    }
  });

  it('reads every field once, so that what was checked is what is stored', () => {
    const reads = new Map<string | symbol, number>();
    const spec = new Proxy<Record<string, unknown>>(
      { ...VALID, recover: true, timeout: 5 },
      {
        get(target, field) {
          reads.set(field, (reads.get(field) ?? 0) + 1);
          return target[String(field)];
        },
      },
    );

    expect(defineSchedule(spec)).toMatchObject({ recover: true, timeoutMs: 5 });
    expect([...reads.values()].every((count) => count === 1)).toBe(true);
  });

  it('never throws anything but a typed error, and never a message that is out of bounds', () => {
    const junk = fc.anything({ withBigInt: true, withDate: true, withMap: true, withSparseArray: true });
    fc.assert(
      fc.property(
        fc.record(
          {
            name: fc.oneof(fc.string({ unit: 'binary' }), junk),
            jobName: junk,
            trigger: junk,
            params: junk,
            startsAt: fc.oneof(junk, fc.double(), fc.date({ noInvalidDate: false })),
            endsAt: fc.oneof(junk, fc.double()),
            misfirePolicy: junk,
            timeout: fc.oneof(junk, fc.double(), fc.string()),
            enabled: junk,
          },
          { requiredKeys: [] },
        ),
        (fields) => {
          for (const spec of [fields, { ...VALID, ...fields }]) {
            try {
              defineSchedule(spec);
            } catch (error) {
              expect(error).toBeInstanceOf(CronStoreError);
              expect((error as Error).message.length).toBeLessThan(2_000);
            }
          }
        },
      ),
      { numRuns: 500 },
    );
  });
});

describe('validName', () => {
  it('refuses a huge text at once', () => {
    expect(() => validName('a'.repeat(100_000_000), 'name')).toThrow(/longer than 128 characters/);
  });

  it.each([
    'a',
    'nightly digest',
    'a'.repeat(MAX_NAME_LENGTH),
    '🚀'.repeat(MAX_NAME_LENGTH),
    'تقرير يومي',
    'דו״ח',
    '日次レポート',
    'a/b:c.d-e_f',
    "it's; drop table crn_schedule; --",
    '__proto__',
    'null',
  ])('accepts %j', (name) => {
    expect(validName(name, 'name')).toBe(name);
  });

  it.each([
    ['', /is required/],
    [undefined, /is required/],
    [null, /is required/],
    [7, /is required/],
    [['a'], /is required/],
    ['a'.repeat(MAX_NAME_LENGTH + 1), /longer than 128 characters/],
    ['🚀'.repeat(MAX_NAME_LENGTH + 1), /longer than 128 characters/],
    [' a', /starts or ends with white space/],
    ['a\u00A0', /starts or ends with white space/],
    ['a\n', /starts or ends with white space/],
    ['   ', /starts or ends with white space/],
    ['a\0b', /control characters/],
    ['a\tb', /control characters/],
    ['a\u0085b', /control characters/],
    ['a\u007Fb', /control characters/],
    ['a\uD800b', /surrogate/],
    ['\uDC00', /surrogate/],
  ])('refuses %j', (name, message) => {
    expect(() => validName(name, 'name')).toThrow(ScheduleInvalidError);
    expect(messageOf(() => validName(name, 'name'))).toMatch(message);
    expect(messageOf(() => validName(name, 'name')).length).toBeLessThan(1_000);
  });
});
