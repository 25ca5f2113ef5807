import fc from 'fast-check';
import { DurationError, durationText, MAX_DURATION_MS, parseDuration } from '../../../lib/triggers/index.js';

it.each([
  [0, 0],
  [90_000, 90_000],
  [MAX_DURATION_MS, MAX_DURATION_MS],
  ['90s', 90_000],
  ['1h30m10s', 5_410_000],
  ['500ms', 500],
  ['1.5h', 5_400_000],
  ['.5s', 500],
  ['1.s', 1000],
  ['0.001s', 1],
  ['1000us', 1],
  ['1000µs', 1],
  ['1000μs', 1],
  ['1000000ns', 1],
  ['999999ns1ns', 1],
  ['0', 0],
  ['0s', 0],
  [' 2m ', 120_000],
  ['10s1h', 3_610_000],
  ['2562047h47m16.854s', MAX_DURATION_MS],
])('reads %p as %p ms', (value, ms) => {
  expect(parseDuration(value)).toBe(ms);
});

it.each([
  Number.NaN,
  -1,
  1.5,
  Number.NEGATIVE_INFINITY,
  '',
  ' ',
  '5',
  '-5m',
  '+5m',
  '5M',
  '1d',
  '1h 30m',
  's',
  '.s',
  '1..5s',
  '1e3s',
  '1500us',
  '١s',
  '1s;',
  '9'.repeat(200),
])('refuses %p as malformed', (value) => {
  expect(() => parseDuration(value)).toThrow(DurationError);
  expect(() => parseDuration(value)).toThrow(expect.objectContaining({ fault: 'malformed' }));
});

it.each([MAX_DURATION_MS + 1, Number.POSITIVE_INFINITY, '2562048h', `${'9'.repeat(90)}h`])(
  'refuses %p as too long',
  (value) => {
    expect(() => parseDuration(value)).toThrow(expect.objectContaining({ fault: 'too_long' }));
  },
);

it.each([
  ['5', /unit is missing, write "5s"/],
  ['1d', /write 24h/],
  ['-5m', /not negative/],
])('says what to write instead of %p', (value, message) => {
  expect(() => parseDuration(value)).toThrow(message);
});

it.each([null, undefined, {}, [], true])('refuses what only plain JavaScript can pass: %p', (value) => {
  expect(() => Reflect.apply(parseDuration, undefined, [value])).toThrow(DurationError);
});

it.each([
  [0, '0s'],
  [500, '500ms'],
  [90_000, '1m30s'],
  [5_400_000, '1h30m'],
  [86_400_000, '24h'],
  [MAX_DURATION_MS, '2562047h47m16s854ms'],
])('writes %p ms as %p', (ms, text) => {
  expect(durationText(ms)).toBe(text);
});

it('reads what it has written', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: MAX_DURATION_MS }), (ms) => {
      expect(parseDuration(durationText(ms))).toBe(ms);
    }),
  );
});
