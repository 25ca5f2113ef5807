import { FIRST_INSTANT, LAST_INSTANT } from './occurrences/instant-range.js';
import { type OccurrenceWindow, occurrencesOf } from './occurrences/occurrences-of.js';
import type { Trigger } from './trigger.js';
import { normalizeTrigger } from './normalize-trigger.js';

/** An instant: Unix milliseconds or a `Date`. */
export type Instant = number | Date;

/** The schedule around a trigger, as far as it decides when it fires. */
export interface FireWindow {
  /** First instant at which it may fire, inclusive; also the phase of an interval without `anchor`. */
  readonly startsAt?: Instant | undefined;
  /** Last instant at which it may fire, inclusive. */
  readonly endsAt?: Instant | undefined;
  /**
   * An instant the phase of an interval is counted from, in both directions: it bounds nothing. Default `startsAt`;
   * with neither, an interval is aligned to the Unix epoch. A schedule's anchor is `startsAt`, else its creation.
   */
  readonly anchor?: Instant | undefined;
}

/** Which fires of a trigger to list. */
export interface NextFiresOptions extends FireWindow {
  /** The fires listed come strictly after it. */
  readonly after: Instant;
  /** How many to list at most: a whole number, zero or more. Default 5. */
  readonly count?: number | undefined;
}

/** Which fires of a trigger to count. */
export interface CountFiresOptions extends FireWindow {
  /** The fires counted come strictly after it. */
  readonly after: Instant;
  /** The last instant at which one is counted, inclusive. */
  readonly until: Instant;
}

const DEFAULT_COUNT = 5;

/**
 * The next fires of a trigger, in Unix milliseconds, strictly increasing: fewer than `count` when there are no more.
 * Pure: no clock is read, and the zone of the process does not matter.
 *
 * @throws TriggerInvalidError for a trigger that could not be stored
 * @throws RangeError for an instant that a `Date` cannot hold, or a count that is not a whole number
 */
export function nextFires(trigger: Trigger, options: NextFiresOptions): number[] {
  const occurrences = occurrencesOf(normalizeTrigger(trigger), windowOf(options));
  const limit = countOf(options.count ?? DEFAULT_COUNT);
  const fires: number[] = [];
  let next = occurrences.next(instantOf('after', options.after));
  while (next !== undefined && fires.length < limit) {
    fires.push(next);
    next = fires.length < limit ? occurrences.next(next) : undefined;
  }
  return fires;
}

/**
 * The exact number of fires in (after, until], by arithmetic: a year of one-second ticks costs about as much as a day.
 * Pure: no clock is read, and the zone of the process does not matter.
 *
 * @throws TriggerInvalidError for a trigger that could not be stored
 * @throws RangeError for an instant that a `Date` cannot hold
 */
export function countFires(trigger: Trigger, options: CountFiresOptions): number {
  const occurrences = occurrencesOf(normalizeTrigger(trigger), windowOf(options));
  return occurrences.count(instantOf('after', options.after), instantOf('until', options.until));
}

function windowOf({ startsAt, endsAt, anchor }: FireWindow): OccurrenceWindow {
  return {
    startsAt: startsAt === undefined ? undefined : Math.ceil(millisecondsOf('startsAt', startsAt)),
    endsAt: endsAt === undefined ? undefined : instantOf('endsAt', endsAt),
    anchor: anchor === undefined ? undefined : instantOf('anchor', anchor),
  };
}

/** Occurrences are whole milliseconds, so a bound between two of them is the same as the one before. */
function instantOf(name: string, value: Instant): number {
  return Math.floor(millisecondsOf(name, value));
}

function millisecondsOf(name: string, value: Instant): number {
  const ms = value instanceof Date ? value.getTime() : value;
  if (typeof ms === 'number' && ms >= FIRST_INSTANT && ms <= LAST_INSTANT) return ms;
  throw new RangeError(
    `\`${name}\` is ${String(ms)}: give a valid Date, or Unix milliseconds within the range of Date.`,
  );
}

function countOf(count: number): number {
  if (Number.isSafeInteger(count) && count >= 0) return count;
  throw new RangeError(`\`count\` is ${String(count)}: give a whole number, zero or more.`);
}
