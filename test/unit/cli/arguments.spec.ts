import { InvalidArgumentError } from 'commander';
import { countUpTo, instantArgument } from '../../../lib/cli/arguments.js';

describe('an instant', () => {
  it.each([
    ['2026-01-15', '2026-01-15T00:00:00.000Z'],
    ['2026-01-15T12:00Z', '2026-01-15T12:00:00.000Z'],
    ['2026-01-15T12:00:00Z', '2026-01-15T12:00:00.000Z'],
    ['2026-01-15T12:00:00.25Z', '2026-01-15T12:00:00.250Z'],
    ['2026-01-15T12:00:00+08:00', '2026-01-15T04:00:00.000Z'],
    ['2028-02-29', '2028-02-29T00:00:00.000Z'],
    ['1768478400000', '2026-01-15T12:00:00.000Z'],
  ])('is read from %s', (text, instant) => {
    expect(new Date(instantArgument(text)).toISOString()).toBe(instant);
  });

  it.each([
    ['a year', '2026'],
    ['a date without its separators', '20260115'],
    ['a date and a time without their separators', '202601151200'],
    ['Unix seconds', '1768478400'],
    ['words that the parser guesses at', 'yesterday 1'],
    ['a date as it is written elsewhere', '01/15/2026'],
    ['a time without a zone', '2026-01-15T12:00:00'],
    ['a time without a T', '2026-01-15 12:00:00Z'],
    ['a day that there is not', '2026-02-30'],
    ['a time on a day that there is not', '2026-02-30T12:00:00Z'],
    ['an hour that there is not', '2026-01-15T25:00:00Z'],
    ['nothing', ''],
  ])('is not read from %s', (_, text) => {
    expect(() => instantArgument(text)).toThrow(InvalidArgumentError);
  });
});

describe('a count up to a most', () => {
  it.each(['1', '1000'])('is %s', (text) => {
    expect(countUpTo(1_000)(text)).toBe(Number(text));
  });

  it.each(['0', '1001', '1e2', '-1', '1.5', ''])('is not %j', (text) => {
    expect(() => countUpTo(1_000)(text)).toThrow('Give a whole number from 1 to 1000.');
  });
});
