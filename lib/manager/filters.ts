import {
  knownFields,
  RUN_STATUSES,
  ScheduleInvalidError,
  unixMsOf,
  type Fields,
  type RunStatus,
} from '../schedules/index.js';
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
  const fields = knownFields(filter, ['jobName', 'enabled'], 'a filter for schedules');
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
  const fields = knownFields(
    filter,
    ['scheduleName', 'jobName', 'statuses', 'since', 'until', 'limit'],
    'a filter for runs',
  );
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

function textOf(fields: Fields, field: string): string | undefined {
  const value = fields[field];
  if (value === undefined || (typeof value === 'string' && isStorable(value))) {
    return value;
  }
  throw new ScheduleInvalidError(
    `The filter \`${field}\` must be a string without NUL characters or lone surrogates.`,
  );
}

/** PostgreSQL refuses NUL, and a lone surrogate would reach it as another character. */
function isStorable(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed();
}

function statusesOf(value: unknown): readonly RunStatus[] | undefined {
  if (value === undefined) {
    return undefined;
  }
  const statuses = elementsOf(value)?.map((given) => RUN_STATUSES.find((status) => status === given));
  if (statuses === undefined || statuses.includes(undefined)) {
    throw new ScheduleInvalidError(`The filter \`statuses\` must be an array of ${RUN_STATUSES.join(', ')}.`);
  }
  return statuses.filter((status) => status !== undefined);
}

function elementsOf(value: unknown): readonly unknown[] | undefined {
  try {
    return Array.isArray(value) ? Array.from<unknown>(value) : undefined;
  } catch {
    return undefined;
  }
}

function instantOf(fields: Fields, field: string): number | undefined {
  const value = fields[field];
  const instant = unixMsOf(value);
  if (value !== undefined && instant === undefined) {
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
