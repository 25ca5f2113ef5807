import fc from 'fast-check';
import {
  countFires,
  cron,
  type CronTrigger,
  describeTrigger,
  nextFires,
  normalizeTrigger,
  type Occurrences,
  occurrencesOf,
  type Trigger,
  TriggerInvalidError,
} from '../../../lib/triggers/index.js';
import { expressions, instants, zones } from './support/random-expressions.js';

const DAY_MS = 86_400_000;

const crons: fc.Arbitrary<CronTrigger> = fc
  .tuple(expressions, zones, fc.constantFrom('skip' as const, 'run_after' as const))
  .map(([expr, timezone, dstGap]) => cronOrUndefined(expr, timezone, dstGap))
  .filter((trigger) => trigger !== undefined);

const everies: fc.Arbitrary<Trigger> = fc
  .integer({ min: 1000, max: 100 * DAY_MS })
  .map((everyMs) => ({ kind: 'interval', everyMs }));

const triggers: fc.Arbitrary<Trigger> = fc.oneof(
  { weight: 4, arbitrary: crons },
  { weight: 1, arbitrary: everies },
);

function cronOrUndefined(
  expr: string,
  timezone: string,
  dstGap: 'skip' | 'run_after',
): CronTrigger | undefined {
  try {
    return cron(expr, timezone, { dstGap });
  } catch (error) {
    if (error instanceof TriggerInvalidError) return undefined;
    throw error;
  }
}

function list(occurrences: Occurrences, after: number, length: number): readonly number[] {
  const fires: number[] = [];
  let next = occurrences.next(after);
  while (next !== undefined && fires.length < length) {
    fires.push(next);
    next = occurrences.next(next);
  }
  return fires;
}

it('lists fires strictly after the instant, strictly increasing', () => {
  fc.assert(
    fc.property(triggers, instants, (trigger, after) => {
      const fires = [after, ...nextFires(trigger, { after, count: 20 })];
      expect(fires.slice(1).every((fire, index) => fire > (fires[index] ?? Infinity))).toBe(true);
    }),
    { numRuns: 300 },
  );
});

it('finds every fire again backwards, and none between two', () => {
  fc.assert(
    fc.property(triggers, instants, (trigger, after) => {
      const occurrences = occurrencesOf(trigger, {});
      const fires = list(occurrences, after, 10);
      expect(fires.map((fire) => occurrences.previous(fire))).toEqual(fires);
      expect(fires.slice(1).map((fire) => occurrences.previous(fire - 1))).toEqual(fires.slice(0, -1));
      expect(fires.map((fire) => occurrences.next(fire - 1))).toEqual(fires);
      const before = occurrences.previous(after);
      if (before !== undefined) expect(occurrences.next(before)).toEqual(fires[0]);
    }),
    { numRuns: 300 },
  );
});

it('counts as many fires as it lists', () => {
  fc.assert(
    fc.property(triggers, instants, (trigger, after) => {
      const fires = list(occurrencesOf(trigger, {}), after, 50);
      const until = fires.at(-1) ?? after;
      expect(countFires(trigger, { after, until })).toBe(fires.length);
    }),
    { numRuns: 300 },
  );
});

it('counts a split interval like the whole', () => {
  fc.assert(
    fc.property(triggers, instants, instants, instants, (trigger, ...bounds) => {
      const [after = 0, middle = 0, until = 0] = bounds.toSorted((one, other) => one - other);
      const whole = countFires(trigger, { after, until });
      const parts =
        countFires(trigger, { after, until: middle }) + countFires(trigger, { after: middle, until });
      expect(parts).toBe(whole);
    }),
    { numRuns: 100 },
  );
});

it('fires in a window exactly where it fires without, inside of it', () => {
  fc.assert(
    fc.property(triggers, instants, fc.nat(400), (trigger, startsAt, days) => {
      const endsAt = startsAt + days * DAY_MS;
      const anchor = startsAt - 5;
      const free = occurrencesOf(trigger, { anchor });
      const fires = nextFires(trigger, { after: startsAt - DAY_MS, startsAt, endsAt, anchor, count: 10 });
      const expected = list(free, startsAt - 1, 10).filter((fire) => fire <= endsAt);
      expect(fires).toEqual(expected);
      expect(
        countFires(trigger, { after: startsAt - DAY_MS, until: endsAt + DAY_MS, startsAt, endsAt, anchor }),
      ).toBe(free.count(startsAt - 1, endsAt));
    }),
    { numRuns: 200 },
  );
});

it('fires like the canonical form it stores, and has a description', () => {
  fc.assert(
    fc.property(crons, instants, (trigger, after) => {
      const stored = normalizeTrigger(JSON.parse(JSON.stringify(normalizeTrigger(trigger))));
      expect(stored).toEqual(normalizeTrigger(stored));
      expect(nextFires(stored, { after })).toEqual(nextFires(trigger, { after }));
      expect(describeTrigger(stored)).toMatch(/^\S.+, \S+$/);
    }),
    { numRuns: 200 },
  );
});
