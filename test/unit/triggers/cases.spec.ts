import { readFileSync } from 'node:fs';
import {
  countFires,
  cron,
  nextFires,
  occurrencesOf,
  TriggerInvalidError,
  validateTrigger,
} from '../../../lib/triggers/index.js';

interface NextCase {
  readonly id: string;
  readonly expr: string;
  readonly timezone: string;
  readonly after: string;
  readonly next: readonly string[];
}

interface WriteCase {
  readonly expr: string;
  readonly timezone: string;
}

function casesIn<T>(file: string): readonly T[] {
  return JSON.parse(readFileSync(new URL(`../../cases/${file}`, import.meta.url), 'utf8')) as T[];
}

describe.each(['cron-next.json', 'cron-real-world.json'])('the fires of %s', (file) => {
  it.each(casesIn<NextCase>(file))(
    '$id: $expr in $timezone after $after',
    ({ expr, timezone, after, next }) => {
      const trigger = cron(expr, timezone);
      const expected = next.map((text) => Date.parse(text));
      const last = expected.at(-1) ?? 0;
      const occurrences = occurrencesOf(trigger, {});

      expect(nextFires(trigger, { after: new Date(after), count: expected.length })).toEqual(expected);
      expect(countFires(trigger, { after: new Date(after), until: last })).toBe(expected.length);
      expect(expected.map((at) => occurrences.previous(at))).toEqual(expected);
      expect(expected.slice(1).map((at) => occurrences.previous(at - 1))).toEqual(expected.slice(0, -1));
    },
  );
});

it.each(casesIn<WriteCase & { readonly reason: string }>('cron-invalid.json'))(
  'refuses $expr in $timezone as $reason',
  ({ expr, timezone, reason }) => {
    expect(() => validateTrigger({ kind: 'cron', expr, timezone })).toThrow(TriggerInvalidError);
    expect(() => validateTrigger({ kind: 'cron', expr, timezone })).toThrow(
      expect.objectContaining({ reason, code: 2703 }),
    );
  },
);

it.each(casesIn<WriteCase>('cron-valid.json'))('accepts $expr in $timezone', ({ expr, timezone }) => {
  expect(() => validateTrigger({ kind: 'cron', expr, timezone })).not.toThrow();
});
