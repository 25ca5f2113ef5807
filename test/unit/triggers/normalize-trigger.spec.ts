import {
  cron,
  every,
  MAX_DURATION_MS,
  normalizeTrigger,
  once,
  TriggerInvalidError,
  validateTrigger,
} from '../../../lib/triggers/index.js';

it.each([
  [cron('0 2 * * *', 'Asia/Shanghai'), { kind: 'cron', expr: '0 2 * * *', timezone: 'Asia/Shanghai' }],
  [cron('0 2 * * *'), { kind: 'cron', expr: '0 2 * * *', timezone: 'UTC' }],
  [
    cron('  0\t2  * jan MON-fri ', ' europe/berlin '),
    { kind: 'cron', expr: '0 2 * JAN MON-FRI', timezone: 'Europe/Berlin' },
  ],
  [cron('CRON_TZ=asia/tokyo 0 9 * * *'), { kind: 'cron', expr: '0 9 * * *', timezone: 'Asia/Tokyo' }],
  [
    cron('TZ=Asia/Tokyo 0 9 * * *', 'asia/tokyo'),
    { kind: 'cron', expr: '0 9 * * *', timezone: 'Asia/Tokyo' },
  ],
  [cron('CRON_TZ=Asia/Tokyo @Daily'), { kind: 'cron', expr: '@daily', timezone: 'Asia/Tokyo' }],
  [cron('@EVERY 90m', 'utc'), { kind: 'cron', expr: '@every 90m' }],
  [cron('@every:030000'), { kind: 'cron', expr: '@every:30000' }],
  [cron('0 2 * * *', '', { dstGap: 'skip' }), { kind: 'cron', expr: '0 2 * * *', timezone: 'UTC' }],
  [
    cron('0 2 * * *', '', { dstGap: 'run_after' }),
    { kind: 'cron', expr: '0 2 * * *', timezone: 'UTC', dstGap: 'run_after' },
  ],
  [every(90_000), { kind: 'interval', everyMs: 90_000 }],
  [every('90s'), { kind: 'interval', everyMs: 90_000 }],
  [once(new Date(5000)), { kind: 'once', atUnixMs: 5000 }],
  [once(-0), { kind: 'once', atUnixMs: 0 }],
])('stores %p canonically, and a second time the same', (trigger, canonical) => {
  expect(trigger).toEqual(canonical);
  expect(normalizeTrigger(JSON.parse(JSON.stringify(trigger)))).toEqual(canonical);
});

const revoked = Proxy.revocable({}, {});
revoked.revoke();

it.each([
  ['kind_unknown', null],
  ['kind_unknown', undefined],
  ['kind_unknown', 'cron'],
  ['kind_unknown', 5],
  ['kind_unknown', []],
  ['kind_unknown', {}],
  ['kind_unknown', () => 'cron'],
  ['kind_unknown', { kind: 'CRON', expr: '* * * * *' }],
  ['kind_unknown', { kind: 'toString' }],
  ['kind_unknown', { kind: ['cron'], expr: '* * * * *' }],
  ['kind_unknown', Object.create({ kind: 'once', atUnixMs: 1 })],
  ['kind_unknown', revoked.proxy],
  [
    'kind_unknown',
    {
      get kind() {
        throw new Error('getter');
      },
    },
  ],
  ['fields_conflict', { kind: 'cron', expr: '* * * * *', everyMs: 5000 }],
  ['fields_conflict', { kind: 'cron', expr: '* * * * *', cron: true }],
  ['fields_conflict', { kind: 'interval', everyMs: 5000, timezone: 'UTC' }],
  ['fields_conflict', { kind: 'once', atUnixMs: 5, expr: null }],
  ['fields_conflict', JSON.parse('{"kind":"once","atUnixMs":5,"__proto__":{}}')],
  ['fields_conflict', { kind: 'cron', expr: '* * * * *', dstGap: 'run_before' }],
  ['fields_conflict', { kind: 'cron', expr: '@every 5m', dstGap: 'run_after' }],
  ['fields_conflict', { kind: 'cron', expr: '@every 5m', timezone: 'Europe/Berlin' }],
  ['expr_required', { kind: 'cron' }],
  ['expr_required', { kind: 'cron', expr: null }],
  ['expr_required', { kind: 'cron', expr: 'TZ=Asia/Tokyo' }],
  ['expr_invalid', { kind: 'cron', expr: 5 }],
  ['expr_invalid', { kind: 'cron', expr: '* '.repeat(100_000) }],
  ['timezone_invalid', { kind: 'cron', expr: '* * * * *', timezone: 'x'.repeat(100_000) }],
  ['interval_too_short', { kind: 'interval' }],
  ['interval_too_short', { kind: 'interval', everyMs: 999 }],
  ['interval_too_short', { kind: 'interval', everyMs: -5000 }],
  ['interval_too_short', { kind: 'interval', everyMs: 1000.5 }],
  ['interval_too_short', { kind: 'interval', everyMs: Number.NaN }],
  ['interval_too_short', { kind: 'interval', everyMs: '5000' }],
  ['interval_too_short', { kind: 'interval', everyMs: null }],
  ['interval_too_long', { kind: 'interval', everyMs: MAX_DURATION_MS + 1 }],
  ['interval_too_long', { kind: 'interval', everyMs: Number.POSITIVE_INFINITY }],
  ['interval_too_long', { kind: 'interval', everyMs: Number.MAX_SAFE_INTEGER + 1 }],
  ['interval_too_long', { kind: 'cron', expr: '@every:99999999999999999999' }],
  ['interval_too_long', { kind: 'cron', expr: '@every 9999999h' }],
  ['fire_time_required', { kind: 'once' }],
  ['fire_time_required', { kind: 'once', atUnixMs: null }],
  ['fire_time_required', { kind: 'once', atUnixMs: '5' }],
  ['fire_time_required', { kind: 'once', atUnixMs: 1.5 }],
  ['fire_time_required', { kind: 'once', atUnixMs: Number.NaN }],
  ['fire_time_required', { kind: 'once', atUnixMs: 8.64e15 + 1 }],
])('refuses as %s, in a short sentence: case %#', (reason, trigger) => {
  expect(() => validateTrigger(trigger)).toThrow(TriggerInvalidError);
  expect(() => validateTrigger(trigger)).toThrow(
    expect.objectContaining({ reason, code: 2703, message: expect.stringMatching(/^.{20,500}$/) }),
  );
});

it.each(['abc', '500ms', ''])('refuses the interval %p', (duration) => {
  expect(() => every(duration)).toThrow(expect.objectContaining({ reason: 'interval_too_short' }));
});

it('refuses an invalid date', () => {
  expect(() => once(new Date('tomorrow'))).toThrow(expect.objectContaining({ reason: 'fire_time_required' }));
});

it('takes a field that is undefined for absent', () => {
  expect(normalizeTrigger({ kind: 'once', atUnixMs: 5, expr: undefined })).toEqual({
    kind: 'once',
    atUnixMs: 5,
  });
});

it('uses the values it checked, whatever a getter says later', () => {
  let read = 0;
  const trigger = {
    kind: 'interval',
    get everyMs() {
      return read++ === 0 ? 5000 : 1;
    },
  };
  expect(normalizeTrigger(trigger)).toEqual({ kind: 'interval', everyMs: 5000 });
});
