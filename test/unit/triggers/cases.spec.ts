import invalid from '../../cases/cron-invalid.json' with { type: 'json' };
import next from '../../cases/cron-next.json' with { type: 'json' };
import realWorld from '../../cases/cron-real-world.json' with { type: 'json' };
import valid from '../../cases/cron-valid.json' with { type: 'json' };
import {
  countFires,
  cron,
  nextFires,
  occurrencesOf,
  TriggerInvalidError,
  validateTrigger,
} from '../../../lib/triggers/index.js';

it.each([...next, ...realWorld])(
  'fires as $id: $expr in $timezone after $after',
  ({ expr, timezone, after, next: fires }) => {
    const trigger = cron(expr, timezone);
    const expected = fires.map((text) => Date.parse(text));
    const last = expected.at(-1) ?? 0;
    const occurrences = occurrencesOf(trigger, {});

    expect(nextFires(trigger, { after: new Date(after), count: expected.length })).toEqual(expected);
    expect(countFires(trigger, { after: new Date(after), until: last })).toBe(expected.length);
    expect(expected.map((at) => occurrences.previous(at))).toEqual(expected);
    expect(expected.slice(1).map((at) => occurrences.previous(at - 1))).toEqual(expected.slice(0, -1));
  },
);

it.each(invalid)('refuses $expr in $timezone as $reason', ({ expr, timezone, reason }) => {
  expect(() => validateTrigger({ kind: 'cron', expr, timezone })).toThrow(TriggerInvalidError);
  expect(() => validateTrigger({ kind: 'cron', expr, timezone })).toThrow(
    expect.objectContaining({ reason, code: 2703 }),
  );
});

it.each(valid)('accepts $expr in $timezone', ({ expr, timezone }) => {
  expect(() => validateTrigger({ kind: 'cron', expr, timezone })).not.toThrow();
});
