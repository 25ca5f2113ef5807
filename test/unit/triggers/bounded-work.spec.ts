import fc from 'fast-check';
import {
  cron,
  describeTrigger,
  nextFires,
  normalizeTrigger,
  occurrencesOf,
  type Trigger,
  TriggerInvalidError,
} from '../../../lib/triggers/index.js';
import { expressionOf } from '../../../lib/triggers/expression/parse-expression.js';
import { ZonedOccurrences } from '../../../lib/triggers/occurrences/zoned-occurrences.js';
import { intlOffsets } from '../../../lib/triggers/zones/offset-source.js';
import type { OffsetSegment } from '../../../lib/triggers/zones/offset-segment.js';
import { Zone } from '../../../lib/triggers/zones/zone.js';

const FIRST_INSTANT = -8.64e15;
const LAST_INSTANT = 8.64e15;
const YEAR_MS = 366 * 86_400_000;

/** A zone that counts the segments asked of it, which are the steps of a search. */
class CountingZone extends Zone {
  steps = 0;

  override segmentAt(instant: number): OffsetSegment {
    this.steps++;
    return super.segmentAt(instant);
  }
}

function searchIn(zone: Zone, expr: string, afterGaps = false): ZonedOccurrences {
  const expression = expressionOf(expr);
  if (expression.kind === 'every') throw new Error('a calendar expression is wanted');
  return new ZonedOccurrences(expression.pattern, zone, { onlyFresh: expression.restrictsHour, afterGaps });
}

function newYork(): CountingZone {
  return new CountingZone(intlOffsets('America/New_York'));
}

it('counts a year of one-second ticks in the steps of its offset segments', () => {
  const zone = newYork();
  const after = Date.UTC(2026, 0, 1, 0, 0, 0, 1);
  const until = Date.UTC(2027, 0, 1, 0, 0, 0, 1);
  expect(searchIn(zone, '* * * * * *').count(after, until)).toBe(365 * 86_400);
  expect(zone.steps).toBeLessThanOrEqual(8);
});

it.each(['0 0 29 2 *', '0 0 1 1 *', '30 2 * 3 1#5', '0 0 0 31 12 *'])(
  'leaps to a distant fire of %s without walking there',
  (expr) => {
    const zone = newYork();
    const search = searchIn(zone, expr);
    search.next(Date.UTC(2096, 2, 1));
    search.previous(Date.UTC(2104, 1, 28));
    expect(zone.steps).toBeLessThanOrEqual(40);
  },
);

it('gives up on what never comes, after one cycle of the calendar', () => {
  const zone = newYork();
  // Since 2007 the second Sunday of March has no 02:30 in New York.
  const search = searchIn(zone, '30 2 * 3 0#2');
  expect(search.next(Date.UTC(2026, 0, 1))).toBeUndefined();
  expect(search.next(Date.UTC(200_000, 0, 1))).toBeUndefined();
  expect(search.previous(Date.UTC(200_000, 0, 1))).toBe(Date.UTC(2006, 2, 12, 7, 30));
  expect(zone.steps).toBeLessThan(10_000);
});

it('counts the whole range of instants in the steps of two cycles', () => {
  const zone = newYork();
  const hourly = searchIn(zone, '0 * * * *').count(FIRST_INSTANT - 1, LAST_INSTANT);
  // Of 200 million days every hour, both ends of the range included.
  expect(hourly).toBe(200_000_000 * 24 + 1);
  expect(zone.steps).toBeLessThan(10_000);
});

it('answers at the ends of the range of instants', () => {
  for (const timezone of ['UTC', 'America/New_York', 'Pacific/Apia']) {
    const occurrences = occurrencesOf(cron('0 0 * * *', timezone), {});
    expect(occurrences.next(LAST_INSTANT)).toBeUndefined();
    expect(occurrences.previous(FIRST_INSTANT - 1)).toBeUndefined();
    expect(occurrences.next(FIRST_INSTANT)).toBeLessThanOrEqual(FIRST_INSTANT + 86_400_000);
    expect(occurrences.previous(LAST_INSTANT)).toBeGreaterThanOrEqual(LAST_INSTANT - 86_400_000);
  }
});

const WORDS =
  '* ? / , - # L W LW 0 1 5 7 15 31 59 60 */5 1-5 MON fri JAN SUNDAY H @ @every @daily : 90m TZ= CRON_TZ=UTC \u0663'.split(
    ' ',
  );
const words = fc.constantFrom(' ', '  ', '\t', '\n', 'TZ=UTC ', ...WORDS);
const texts = fc.oneof(
  fc.string(),
  fc.string({ unit: 'grapheme' }),
  fc.array(words, { maxLength: 20 }).map((parts) => parts.join('')),
  fc.array(words, { minLength: 5, maxLength: 6 }).map((parts) => parts.join(' ')),
);
const anyInstant = fc.oneof(
  fc.integer({ min: FIRST_INSTANT, max: LAST_INSTANT }),
  fc.double({ min: FIRST_INSTANT, max: LAST_INSTANT, noNaN: true }),
);

function unlessInvalid<T>(use: () => T): T | undefined {
  try {
    return use();
  } catch (error) {
    if (error instanceof TriggerInvalidError) return undefined;
    throw error;
  }
}

it('reads any text, or refuses it with its own error and a message of bounded length', () => {
  fc.assert(
    fc.property(texts, texts, (expr, timezone) => {
      try {
        const trigger = cron(expr, timezone);
        expect(normalizeTrigger(trigger)).toEqual(trigger);
        expect(describeTrigger(trigger)).not.toBe('');
      } catch (error) {
        expect(error).toBeInstanceOf(TriggerInvalidError);
        expect(String(error).length).toBeLessThan(700);
      }
    }),
    { numRuns: 5000 },
  );
});

it('searches from any instant for any expression it read', () => {
  const cases = fc.tuple(texts, fc.constantFrom('UTC', 'America/New_York', 'Africa/Cairo'), anyInstant);
  fc.assert(
    fc.property(cases, ([expr, timezone, after]) => {
      const trigger = unlessInvalid(() => cron(expr, timezone));
      if (trigger === undefined) return;
      const occurrences = occurrencesOf(trigger, {});
      const [next] = nextFires(trigger, { after, count: 1 });
      expect(next ?? LAST_INSTANT).toBeGreaterThanOrEqual(after);
      const until = Math.min(Math.floor(after) + YEAR_MS, LAST_INSTANT);
      expect(occurrences.count(Math.floor(after), until)).toBeGreaterThanOrEqual(0);
      expect(occurrences.previous(Math.floor(after)) ?? FIRST_INSTANT).toBeLessThanOrEqual(after);
    }),
    { numRuns: 1000 },
  );
});

it('refuses any value that is no trigger with its own error', () => {
  const values = fc.oneof(
    fc.anything({ withNullPrototype: true, withSparseArray: true, withBigInt: true, withDate: true }),
    fc.record(
      {
        kind: fc.constantFrom('cron', 'interval', 'once', 'other'),
        expr: fc.anything(),
        timezone: fc.anything(),
        dstGap: fc.anything(),
        everyMs: fc.anything(),
        atUnixMs: fc.anything(),
      },
      { requiredKeys: ['kind'] },
    ),
  );
  fc.assert(
    fc.property(values, (value) => {
      const trigger: Trigger | undefined = unlessInvalid(() => normalizeTrigger(value));
      if (trigger !== undefined)
        expect(nextFires(trigger, { after: 0, count: 1 }).length).toBeLessThanOrEqual(1);
    }),
    { numRuns: 3000 },
  );
});
