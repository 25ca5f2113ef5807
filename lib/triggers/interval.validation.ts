import { DurationError, MAX_DURATION_MS, parseDuration } from './duration.js';
import { show } from './show.js';
import { MIN_INTERVAL_MS } from './trigger.js';
import { TriggerInvalidError } from './trigger-invalid.error.js';

/**
 * The period of an interval trigger.
 *
 * @throws TriggerInvalidError `interval_too_short` when it is not a whole number of at least a second, else
 * `interval_too_long`
 */
export function requireInterval(everyMs: unknown): number {
  if (typeof everyMs !== 'number' || !(everyMs >= MIN_INTERVAL_MS)) throw tooShort(show(everyMs));
  if (everyMs > MAX_DURATION_MS) throw tooLong(everyMs);
  if (!Number.isInteger(everyMs)) throw tooShort(show(everyMs));
  return everyMs;
}

/**
 * The period of an interval trigger given as text, such as `90s`.
 *
 * @throws TriggerInvalidError as {@link requireInterval} does
 */
export function requireIntervalText(text: string): number {
  try {
    return requireInterval(parseDuration(text));
  } catch (error) {
    if (!(error instanceof DurationError)) throw error;
    throw error.fault === 'too_long' ? tooLong(text) : tooShort(`unreadable (${error.message})`);
  }
}

function tooShort(found: string): TriggerInvalidError {
  return new TriggerInvalidError(
    'interval_too_short',
    `The everyMs of an interval trigger is ${found}; write whole milliseconds, at least ${MIN_INTERVAL_MS}.`,
  );
}

function tooLong(found: number | string): TriggerInvalidError {
  return new TriggerInvalidError(
    'interval_too_long',
    `The everyMs of an interval trigger is ${show(found)}; the longest is ${MAX_DURATION_MS} ms (292 years).`,
  );
}
