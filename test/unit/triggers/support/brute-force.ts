import type { DstGap } from '../../../../lib/triggers/index.js';
import type { LocalTime } from './local-clock.js';

export const MINUTE_MS = 60_000;

const NONE: readonly LocalTime[] = [];

/** A cron expression told a second time, as a plain predicate. */
export interface Rule {
  readonly expr: string;
  readonly restrictsHour: boolean;
  readonly matches: (local: LocalTime) => boolean;
}

/** One minute of a zone's clock. */
export interface ClockMinute {
  readonly instant: number;
  readonly local: LocalTime;
  /** Whether the local time has not been before. */
  readonly isFirst: boolean;
  /** Local times left out between the minute before and this one. */
  readonly skipped: readonly LocalTime[];
}

/**
 * Every minute in [from, to). Local times before `from` count as never seen, so `from` must lie well before any
 * change of the offset.
 */
export function minutesBetween(
  from: number,
  to: number,
  clock: (instant: number) => LocalTime,
): readonly ClockMinute[] {
  const seen = new Set<number>();
  const minutes: ClockMinute[] = [];
  let previous = clock(from - MINUTE_MS).sinceEpoch;
  for (let instant = from; instant < to; instant += MINUTE_MS) {
    const local = clock(instant);
    const isFirst = !seen.has(local.sinceEpoch);
    minutes.push({ instant, local, isFirst, skipped: localMinutesBetween(previous, local.sinceEpoch) });
    seen.add(local.sinceEpoch);
    previous = local.sinceEpoch;
  }
  return minutes;
}

/** The fires of a rule by looking at every minute: the rule of `CronTrigger` word by word. */
export function bruteForceFires(
  rule: Rule,
  minutes: readonly ClockMinute[],
  dstGap: DstGap,
): readonly number[] {
  const makesUp = dstGap === 'run_after' && rule.restrictsHour;
  return minutes
    .filter(
      ({ local, isFirst, skipped }) =>
        (rule.matches(local) && (isFirst || !rule.restrictsHour)) ||
        (makesUp && skipped.some((time) => rule.matches(time))),
    )
    .map(({ instant }) => instant);
}

function localMinutesBetween(previous: number, next: number): readonly LocalTime[] {
  const count = Math.max(0, (next - previous) / MINUTE_MS - 1);
  if (count === 0) return NONE;
  return Array.from({ length: count }, (_, index) => localTimeAt(previous + (index + 1) * MINUTE_MS));
}

function localTimeAt(sinceEpoch: number): LocalTime {
  const date = new Date(sinceEpoch);
  return {
    year: date.getUTCFullYear(),
    month: date.getUTCMonth() + 1,
    day: date.getUTCDate(),
    weekday: date.getUTCDay(),
    hour: date.getUTCHours(),
    minute: date.getUTCMinutes(),
    sinceEpoch,
  };
}
