import { RUN_STATUSES, ScheduleInvalidError, type RunStatus } from '../schedules/index.js';
import type { RunSelection, ScheduleSelection } from '../storage/index.js';
import type { Instant } from '../triggers/index.js';

/** Which schedules to list; what is omitted does not restrict. */
export interface ScheduleFilter {
  readonly jobName?: string;
  readonly enabled?: boolean;
}

/** Which runs to list; what is omitted does not restrict. */
export interface RunFilter {
  /** Runs of the schedule that has this name now, and of those that had it. */
  readonly scheduleName?: string;
  readonly jobName?: string;
  readonly statuses?: readonly RunStatus[];
  /** Earliest logical fire time, inclusive. */
  readonly since?: Instant;
  /** Latest logical fire time, inclusive. */
  readonly until?: Instant;
  /** 1–1000; omitted or 0 means 100, more than 1000 means 1000. */
  readonly limit?: number;
}

const DEFAULT_RUN_LIMIT = 100;
const MAX_RUN_LIMIT = 1_000;

/** Checks a filter for schedules. */
export function scheduleSelectionOf(filter: ScheduleFilter): ScheduleSelection {
  const fields = knownFilterFields(filter, ['jobName', 'enabled']);
  const jobName = textOf(fields, 'jobName');
  const isEnabled = fields['enabled'];
  if (isEnabled !== undefined && typeof isEnabled !== 'boolean') {
    throw new ScheduleInvalidError('The filter `enabled` must be true or false.');
  }
  return {
    ...(jobName === undefined ? {} : { jobName }),
    ...(isEnabled === undefined ? {} : { isEnabled }),
  };
}

/** Checks a filter for runs. */
export function runSelectionOf(filter: RunFilter): RunSelection {
  const fields = knownFilterFields(filter, [
    'scheduleName',
    'jobName',
    'statuses',
    'since',
    'until',
    'limit',
  ]);
  const scheduleName = textOf(fields, 'scheduleName');
  const jobName = textOf(fields, 'jobName');
  const statuses = statusesOf(fields['statuses']);
  const sinceUnixMs = instantOf(fields, 'since');
  const untilUnixMs = instantOf(fields, 'until');
  return {
    ...(scheduleName === undefined ? {} : { scheduleName }),
    ...(jobName === undefined ? {} : { jobName }),
    ...(statuses === undefined ? {} : { statuses }),
    ...(sinceUnixMs === undefined ? {} : { sinceUnixMs }),
    ...(untilUnixMs === undefined ? {} : { untilUnixMs }),
    limit: limitOf(fields['limit']),
  };
}

type Fields = Readonly<Record<string, unknown>>;

function knownFilterFields(filter: unknown, known: readonly string[]): Fields {
  if (typeof filter !== 'object' || filter === null) {
    throw new ScheduleInvalidError('A filter must be an object.');
  }
  const unknown = Object.keys(filter).find((field) => !known.includes(field));
  if (unknown !== undefined) {
    throw new ScheduleInvalidError(
      `${JSON.stringify(unknown)} is no filter; the filters are ${known.join(', ')}.`,
    );
  }
  return filter as Fields;
}

function textOf(fields: Fields, field: string): string | undefined {
  const value = fields[field];
  if (value !== undefined && (typeof value !== 'string' || value.includes('\0'))) {
    throw new ScheduleInvalidError(`The filter \`${field}\` must be a string without NUL.`);
  }
  return value;
}

function statusesOf(value: unknown): readonly RunStatus[] | undefined {
  if (value === undefined) {
    return undefined;
  }
  const words: readonly unknown[] = RUN_STATUSES;
  if (!Array.isArray(value) || value.some((status) => !words.includes(status))) {
    throw new ScheduleInvalidError(`The filter \`statuses\` must be an array of ${RUN_STATUSES.join(', ')}.`);
  }
  return value as RunStatus[];
}

function instantOf(fields: Fields, field: string): number | undefined {
  const value = fields[field];
  const instant = value instanceof Date ? value.getTime() : value;
  if (instant !== undefined && (typeof instant !== 'number' || !Number.isSafeInteger(instant))) {
    throw new ScheduleInvalidError(
      `The filter \`${field}\` must be a valid Date or a whole number of Unix milliseconds.`,
    );
  }
  return instant;
}

function limitOf(value: unknown = 0): number {
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0) {
    throw new ScheduleInvalidError('The filter `limit` must be a whole number from 0 (the default, 100) on.');
  }
  return value === 0 ? DEFAULT_RUN_LIMIT : Math.min(value, MAX_RUN_LIMIT);
}
