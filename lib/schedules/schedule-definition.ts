import { MAX_DURATION_MS, normalizeTrigger, parseDuration, type Trigger } from '../triggers/index.js';
import {
  CONCURRENCY_POLICIES,
  MISFIRE_POLICIES,
  type ConcurrencyPolicy,
  type MisfirePolicy,
} from './policies.js';
import { unixMsOf } from './instant.js';
import { knownFields } from './known-fields.js';
import { serializeParams } from './params.js';
import { preview } from './preview.js';
import { ScheduleInvalidError } from './schedule.errors.js';

/** Longest schedule or job name, in Unicode code points. */
export const MAX_NAME_LENGTH = 128;

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
  readonly concurrencyPolicy: ConcurrencyPolicy;
  readonly recover: boolean;
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
  'concurrencyPolicy',
  'recover',
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
  const startsAtUnixMs = instantOf(fields['startsAt'], 'startsAt');
  const endsAtUnixMs = instantOf(fields['endsAt'], 'endsAt');
  if (startsAtUnixMs !== undefined && endsAtUnixMs !== undefined && endsAtUnixMs <= startsAtUnixMs) {
    throw new ScheduleInvalidError('endsAt must be after startsAt.');
  }
  const paramsJson = serializeParams(fields['params']);
  return {
    name: validName(fields['name'] ?? defaultName, 'name'),
    jobName: validName(fields['jobName'], 'jobName'),
    trigger: normalizeTrigger(fields['trigger']),
    ...(startsAtUnixMs === undefined ? {} : { startsAtUnixMs }),
    ...(endsAtUnixMs === undefined ? {} : { endsAtUnixMs }),
    ...(paramsJson === undefined ? {} : { paramsJson }),
    misfirePolicy: wordOf(fields['misfirePolicy'], MISFIRE_POLICIES, 'fire_now', 'misfirePolicy'),
    concurrencyPolicy: wordOf(
      fields['concurrencyPolicy'],
      CONCURRENCY_POLICIES,
      'forbid',
      'concurrencyPolicy',
    ),
    recover: flagOf(fields['recover'], false, 'recover'),
    timeoutMs: timeoutOf(fields['timeout']),
    isEnabled: flagOf(fields['enabled'], true, 'enabled'),
  };
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

function instantOf(value: unknown, field: string): number | undefined {
  if (value === undefined) {
    return undefined;
  }
  const instant = unixMsOf(value);
  if (instant === undefined) {
    throw new ScheduleInvalidError(`${field} must be a valid Date or a whole number of Unix milliseconds.`);
  }
  return instant;
}

function wordOf<Word extends string>(
  value: unknown,
  words: readonly Word[],
  fallback: Word,
  field: string,
): Word {
  if (value === undefined) {
    return fallback;
  }
  const word = words.find((candidate) => candidate === value);
  if (word === undefined) {
    throw new ScheduleInvalidError(`${field} must be one of ${words.join(', ')}, not ${preview(value)}.`);
  }
  return word;
}

function flagOf(value: unknown, fallback: boolean, field: string): boolean {
  if (value === undefined) {
    return fallback;
  }
  if (typeof value !== 'boolean') {
    throw new ScheduleInvalidError(`${field} must be true or false, not ${preview(value)}.`);
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
    throw new ScheduleInvalidError(`timeout: ${error instanceof Error ? error.message : String(error)}`);
  }
}
