import { InvalidArgumentError } from 'commander';
import type { JsonValue } from '../schedules/index.js';
import { isUuid } from '../storage/index.js';

/** Unix milliseconds of the years 2001 to 2286: neither the seconds of any time in use nor its digits without separators. */
const UNIX_MS = /^\d{13}$/;

/** ISO 8601: a date, or a date and a time with its zone. */
const ISO_TIME = /^(\d{4}-\d{2}-\d{2})(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?(?:Z|[+-]\d{2}:\d{2}))?$/;

/**
 * An instant: a date and a time with its zone, a date, which is its midnight in UTC, or Unix milliseconds. Nothing else is
 * guessed at: what a person meant by other digits, or by a time without a zone, cannot be known.
 */
export function instantArgument(text: string): number {
  const unixMs = UNIX_MS.test(text) ? Number(text) : isoInstant(text);
  if (Number.isNaN(unixMs)) {
    throw new InvalidArgumentError(
      'Give a time such as 2026-01-15T12:00:00Z, with its zone, a date such as 2026-01-15, which is its midnight in UTC, or Unix milliseconds, which have 13 digits.',
    );
  }
  return unixMs;
}

/** NaN for what is not ISO 8601, or not in the calendar: the parser alone makes the 2nd of March of a 30th of February. */
function isoInstant(text: string): number {
  const [, date = ''] = ISO_TIME.exec(text) ?? [];
  const midnight = Date.parse(date);
  const isInCalendar = !Number.isNaN(midnight) && new Date(midnight).toISOString().startsWith(date);
  return isInCalendar ? Date.parse(text) : Number.NaN;
}

/** A whole number from 1 on. */
export function countArgument(text: string): number {
  const count = wholeNumber(text);
  if (count === undefined) {
    throw new InvalidArgumentError('Give a whole number of at least 1.');
  }
  return count;
}

/** A whole number from 1 up to the most that there can be: more is refused, as it would be answered with less. */
export function countUpTo(most: number): (text: string) => number {
  return (text) => {
    const count = wholeNumber(text);
    if (count === undefined || count > most) {
      throw new InvalidArgumentError(`Give a whole number from 1 to ${most}.`);
    }
    return count;
  };
}

function wholeNumber(text: string): number | undefined {
  const number = Number(text);
  return /^\d+$/.test(text) && Number.isSafeInteger(number) && number >= 1 ? number : undefined;
}

/** The id of a run, as the journal has it. */
export function runIdArgument(text: string): string {
  if (!isUuid(text)) {
    throw new InvalidArgumentError('Give the id of a run, as `runs list` shows it.');
  }
  return text;
}

/** Any JSON. */
export function jsonArgument(text: string): JsonValue {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    throw new InvalidArgumentError('Give valid JSON, such as {"day": "monday"}.');
  }
}
