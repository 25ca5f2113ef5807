import { MAX_DURATION_MS } from '../triggers/index.js';
import { knownFields } from './known-fields.js';
import { preview } from './preview.js';
import { ScheduleInvalidError } from './schedule.errors.js';

/** How failed runs, timed out ones included, are tried again. */
export interface RetryPolicy {
  /** Attempts of one fire in all, 1–100: 1 is no retry. */
  readonly maxAttempts: number;
  /** Wait before the second attempt, in ms. Default 10,000. */
  readonly backoffMs?: number | undefined;
  /** By what the wait grows with each further attempt, 1–100. Default 2. */
  readonly factor?: number | undefined;
  /** Longest wait, in ms; not shorter than `backoffMs`. Default 3,600,000, or `backoffMs` where that is longer. */
  readonly maxBackoffMs?: number | undefined;
}

/** A retry policy with every default filled in. */
export type CompleteRetryPolicy = {
  readonly [Field in keyof RetryPolicy]-?: Exclude<RetryPolicy[Field], undefined>;
};

/** Most attempts of one fire in all. */
export const MAX_RETRY_ATTEMPTS = 100;

/** Most by which a wait grows with each attempt. */
export const MAX_RETRY_FACTOR = 100;

/** What a retry policy says where it says nothing. */
export const RETRY_DEFAULTS = { backoffMs: 10_000, factor: 2, maxBackoffMs: 3_600_000 } as const;

const FIELDS = ['maxAttempts', 'backoffMs', 'factor', 'maxBackoffMs'];

/**
 * Validates a retry policy and fills in the defaults.
 *
 * @throws ScheduleInvalidError in a sentence.
 */
export function defineRetry(given: unknown): CompleteRetryPolicy | undefined {
  if (given === undefined || given === null) {
    return undefined;
  }
  const fields = knownFields(given, FIELDS, 'retry');
  const policy = {
    maxAttempts: wholeNumber(fields['maxAttempts'], 'maxAttempts', 1, MAX_RETRY_ATTEMPTS),
    backoffMs: wholeNumber(fields['backoffMs'] ?? RETRY_DEFAULTS.backoffMs, 'backoffMs', 0, MAX_DURATION_MS),
    factor: factorOf(fields['factor'] ?? RETRY_DEFAULTS.factor),
    maxBackoffMs: wholeNumber(
      fields['maxBackoffMs'] ?? RETRY_DEFAULTS.maxBackoffMs,
      'maxBackoffMs',
      0,
      MAX_DURATION_MS,
    ),
  };
  if (policy.maxBackoffMs < policy.backoffMs && fields['maxBackoffMs'] !== undefined) {
    throw new ScheduleInvalidError('retry.maxBackoffMs must not be shorter than retry.backoffMs.');
  }
  return { ...policy, maxBackoffMs: Math.max(policy.maxBackoffMs, policy.backoffMs) };
}

/** The wait before the attempt that follows a failed one, in ms; undefined when that was the last. */
export function backoffAfter(
  policy: CompleteRetryPolicy | undefined,
  failedAttempt: number,
): number | undefined {
  if (policy === undefined || failedAttempt >= policy.maxAttempts) {
    return undefined;
  }
  return Math.min(Math.round(policy.backoffMs * policy.factor ** (failedAttempt - 1)), policy.maxBackoffMs);
}

function wholeNumber(value: unknown, field: string, least: number, most: number): number {
  if (typeof value !== 'number' || !Number.isInteger(value) || value < least || value > most) {
    throw new ScheduleInvalidError(
      `retry.${field} must be a whole number from ${least} to ${most}, not ${preview(value)}.`,
    );
  }
  return value;
}

function factorOf(value: unknown): number {
  if (typeof value !== 'number' || !(value >= 1 && value <= MAX_RETRY_FACTOR)) {
    throw new ScheduleInvalidError(
      `retry.factor must be a number from 1 to ${MAX_RETRY_FACTOR}, not ${preview(value)}.`,
    );
  }
  return value;
}
