import { cron, type DstGap, type Occurrences, occurrencesOf } from '../../../lib/triggers/index.js';
import { bruteForceFires, MINUTE_MS, minutesBetween, type Rule } from './support/brute-force.js';
import { localClock } from './support/local-clock.js';

const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const FIRST = Date.UTC(2023, 0, 1);
const LAST = Date.UTC(2028, 0, 1);
/** Without a restricted hour they are the same. */
const GAPS: readonly DstGap[] = ['skip', 'run_after'];

/** Half a day to the change, and room for what it repeats or skips. */
const AROUND = 16 * HOUR_MS;

const RULES: readonly Rule[] = [
  { expr: '* * * * *', restrictsHour: false, matches: () => true },
  { expr: '*/15 * * * *', restrictsHour: false, matches: ({ minute }) => minute % 15 === 0 },
  { expr: '30 */1 * * *', restrictsHour: false, matches: ({ minute }) => minute === 30 },
  { expr: '0 0 * * *', restrictsHour: true, matches: ({ hour, minute }) => hour === 0 && minute === 0 },
  { expr: '30 2 * * *', restrictsHour: true, matches: ({ hour, minute }) => hour === 2 && minute === 30 },
  {
    expr: '*/5 0-3 * * *',
    restrictsHour: true,
    matches: ({ hour, minute }) => hour <= 3 && minute % 5 === 0,
  },
  {
    expr: '15 1-23/2 * * *',
    restrictsHour: true,
    matches: ({ hour, minute }) => hour % 2 === 1 && minute === 15,
  },
  { expr: '59 23 * * *', restrictsHour: true, matches: ({ hour, minute }) => hour === 23 && minute === 59 },
  {
    expr: '45 1,23 * * SUN',
    restrictsHour: true,
    matches: ({ weekday, hour, minute }) => weekday === 0 && (hour === 1 || hour === 23) && minute === 45,
  },
  {
    expr: '*/30 * 25-31 * *',
    restrictsHour: false,
    matches: ({ day, minute }) => day >= 25 && minute % 30 === 0,
  },
  {
    expr: '10 0-22 8-14 * 6',
    restrictsHour: true,
    matches: ({ day, weekday, hour, minute }) =>
      ((day >= 8 && day <= 14) || weekday === 6) && hour <= 22 && minute === 10,
  },
];

it.each(Intl.supportedValuesOf('timeZone'))('fires in %s where a look at every minute says', (timezone) => {
  const clock = localClock(timezone);
  const differing = daysOfChange(clock).flatMap((change) => differencesAround(change, timezone, clock));
  expect(differing).toEqual([]);
});

type Clock = ReturnType<typeof localClock>;

function differencesAround(change: number, timezone: string, clock: Clock): readonly string[] {
  const from = change - AROUND;
  const to = change + AROUND;
  const minutes = minutesBetween(from, to, clock);
  const differing: string[] = [];
  for (const rule of RULES) {
    for (const dstGap of rule.restrictsHour ? GAPS : GAPS.slice(0, 1)) {
      const occurrences = occurrencesOf(cron(rule.expr, timezone, { dstGap }), {});
      const expected = bruteForceFires(rule, minutes, dstGap);
      // Texts are compared, since matchers on millions of numbers take minutes.
      const agrees =
        String(firesBetween(occurrences, from, to)) === String(expected) &&
        String(firesBackwards(occurrences, from, to)) === String(expected) &&
        occurrences.count(from - 1, to - 1) === expected.length;
      if (!agrees) differing.push(`${rule.expr} ${dstGap} around ${new Date(change).toISOString()}`);
    }
  }
  return differing;
}

/** Noons (UTC) of the days within which the offset changes. */
function daysOfChange(clock: Clock): readonly number[] {
  const offsets = Array.from({ length: (LAST - FIRST) / DAY_MS + 1 }, (_, day) => {
    const instant = FIRST + day * DAY_MS;
    return clock(instant).sinceEpoch - instant;
  });
  return offsets.flatMap((offset, day) =>
    offset === (offsets[day + 1] ?? offset) ? [] : [FIRST + day * DAY_MS + DAY_MS / 2],
  );
}

function firesBetween(occurrences: Occurrences, from: number, to: number): readonly number[] {
  const fires: number[] = [];
  for (
    let next = occurrences.next(from - 1);
    next !== undefined && next < to;
    next = occurrences.next(next)
  ) {
    fires.push(next);
  }
  return fires;
}

function firesBackwards(occurrences: Occurrences, from: number, to: number): readonly number[] {
  const fires: number[] = [];
  for (
    let last = occurrences.previous(to - 1);
    last !== undefined && last >= from;
    last = occurrences.previous(last - 1)
  ) {
    fires.push(last);
  }
  return fires.reverse();
}
