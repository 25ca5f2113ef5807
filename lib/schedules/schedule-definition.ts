import { messageOf } from '../error-reading.js';
import { MAX_DURATION_MS, normalizeTrigger, parseDuration, type Trigger } from '../triggers/index.js';
import {
  CONCURRENCY_POLICIES,
  MISFIRE_POLICIES,
  type ConcurrencyPolicy,
  type MisfirePolicy,
} from './policies.js';
import { flagField, instantField } from './checked-fields.js';
import { knownFields } from './known-fields.js';
import { definedFields } from './defined-fields.js';
import { defineRetry, type CompleteRetryPolicy } from './retry.js';
import { serializeParams } from './params.js';
import { preview } from './preview.js';
import { ScheduleInvalidError } from './schedule.errors.js';

/** Longest schedule or job name, in Unicode code points. */
export const MAX_NAME_LENGTH = 128;

/** Largest backfill limit; without a limit every missed occurrence fires. */
export const MAX_BACKFILL_LIMIT = 10_000;

/** When a schedule may fire: the part of a definition whose change moves the cursor. */
export interface ScheduleTiming {
  readonly trigger: Trigger;
  readonly startsAtUnixMs?: number;
  readonly endsAtUnixMs?: number;
}

/** A validated specification with every default filled in, as it is stored. */
export interface ScheduleDefinition extends ScheduleTiming {
  readonly name: string;
  readonly jobName: string;
  /** The params as JSON text; absent when there are none. */
  readonly paramsJson?: string;
  readonly misfirePolicy: MisfirePolicy;
  readonly backfillLimit?: number;
  readonly concurrencyPolicy: ConcurrencyPolicy;
  readonly recover: boolean;
  readonly retry?: CompleteRetryPolicy;
  readonly timeoutMs: number;
  readonly isEnabled: boolean;
}

/** The fields of a specification. */
export const SPEC_FIELDS: readonly string[] = [
  'name',
  'jobName',
  'trigger',
  'params',
  'startsAt',
  'endsAt',
  'misfirePolicy',
  'backfillLimit',
  'concurrencyPolicy',
  'recover',
  'retry',
  'timeout',
  'enabled',
];

/**
 * Validates a specification, from code or from JSON, and fills in the defaults.
 *
 * @param spec what the caller gave; nothing about it is trusted.
 * @param defaultName the name when the specification carries none.
 * @throws TriggerInvalidError for its trigger, ScheduleInvalidError for anything else, in a sentence.
 */
export function defineSchedule(spec: unknown, defaultName?: string): ScheduleDefinition {
  const fields = knownFields(spec, SPEC_FIELDS, 'a schedule');
  const startsAtUnixMs = instantField(fields['startsAt'], 'startsAt');
  const endsAtUnixMs = instantField(fields['endsAt'], 'endsAt');
  if (startsAtUnixMs !== undefined && endsAtUnixMs !== undefined && endsAtUnixMs <= startsAtUnixMs) {
    throw new ScheduleInvalidError('endsAt must be after startsAt.');
  }
  const misfirePolicy = wordOf(fields['misfirePolicy'], MISFIRE_POLICIES, 'misfirePolicy') ?? 'fire_now';
  return definedFields({
    name: validName(fields['name'] ?? defaultName, 'name'),
    jobName: validName(fields['jobName'], 'jobName'),
    trigger: normalizeTrigger(fields['trigger']),
    startsAtUnixMs,
    endsAtUnixMs,
    paramsJson: serializeParams(fields['params']),
    misfirePolicy,
    backfillLimit: backfillLimitOf(fields['backfillLimit'], misfirePolicy),
    concurrencyPolicy:
      wordOf(fields['concurrencyPolicy'], CONCURRENCY_POLICIES, 'concurrencyPolicy') ?? 'forbid',
    recover: flagField(fields['recover'], 'recover') ?? false,
    retry: defineRetry(fields['retry']),
    timeoutMs: timeoutOf(fields['timeout']),
    isEnabled: flagField(fields['enabled'], 'enabled') ?? true,
  });
}

/** Checks a schedule or job name. */
export function validName(name: unknown, field: string): string {
  if (typeof name !== 'string' || name === '') {
    throw new ScheduleInvalidError(`${field} is required: a string of 1 to ${MAX_NAME_LENGTH} characters.`);
  }
  if (name.length > 4 * MAX_NAME_LENGTH || Array.from(name).length > MAX_NAME_LENGTH) {
    throw new ScheduleInvalidError(`${field} is longer than ${MAX_NAME_LENGTH} characters.`);
  }
  if (name.trim() !== name) {
    throw new ScheduleInvalidError(
      `${field} ${JSON.stringify(name)} starts or ends with white space; remove it.`,
    );
  }
  if (/\p{Cc}/u.test(name) || !name.isWellFormed()) {
    throw new ScheduleInvalidError(
      `${field} ${JSON.stringify(name)} contains control characters or lone surrogates; remove them.`,
    );
  }
  return name;
}

function wordOf<Word extends string>(
  value: unknown,
  words: readonly Word[],
  field: string,
): Word | undefined {
  const word = words.find((candidate) => candidate === value);
  if (word === undefined && value !== undefined) {
    throw new ScheduleInvalidError(`${field} must be one of ${words.join(', ')}, not ${preview(value)}.`);
  }
  return word;
}

function backfillLimitOf(value: unknown, misfirePolicy: MisfirePolicy): number | undefined {
  if (value === undefined) {
    return undefined;
  }
  if (misfirePolicy !== 'backfill') {
    throw new ScheduleInvalidError('backfillLimit goes with misfirePolicy: "backfill" only.');
  }
  if (typeof value !== 'number' || !Number.isInteger(value) || value < 1 || value > MAX_BACKFILL_LIMIT) {
    throw new ScheduleInvalidError(
      `backfillLimit must be a whole number from 1 to ${MAX_BACKFILL_LIMIT}, not ${preview(value)}.`,
    );
  }
  return value;
}

function timeoutOf(value: unknown): number {
  if (value === undefined) {
    return 0;
  }
  const timeoutMs = durationOf(value);
  if (!Number.isInteger(timeoutMs) || timeoutMs < 0 || timeoutMs > MAX_DURATION_MS) {
    throw new ScheduleInvalidError(
      `timeout must be whole milliseconds from 0 (inherit runTimeout) to ${MAX_DURATION_MS}, or a string such as "30s"; got ${preview(value)}.`,
    );
  }
  return timeoutMs;
}

function durationOf(value: unknown): number {
  if (typeof value !== 'string') {
    return typeof value === 'number' ? value : Number.NaN;
  }
  try {
    return parseDuration(value);
  } catch (error) {
    throw new ScheduleInvalidError(`timeout: ${messageOf(error)}`);
  }
}
