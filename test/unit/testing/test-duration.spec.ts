import { testDurationOf } from '../../../lib/testing/test-duration.js';

it.each([
  [1_500, 1_500],
  ['90s', 90_000],
  ['3d', 259_200_000],
  ['1d12h', 129_600_000],
  [' 2d ', 172_800_000],
  ['0d', 0],
])('takes %j for %i ms', (given, expected) => {
  expect(testDurationOf(given)).toBe(expected);
});

it.each([-1, 1.5, Number.NaN, '', 'd', '3 days', '-3d', '1.5d', '12h1d', '9999999d', '1d1d'])(
  'refuses %j in a sentence',
  (given) => {
    expect(() => testDurationOf(given)).toThrow(TypeError);
    expect(() => testDurationOf(given)).toThrow("such as '90s', '36h' or '3d', but is");
  },
);
