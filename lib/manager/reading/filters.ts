import {
  definedFields,
  flagField,
  instantField,
  isStorableText,
  knownFields,
  RUN_REASONS,
  RUN_STATUSES,
  ScheduleInvalidError,
  type Fields,
  type RunReason,
  type RunStatus,
} from '../../schedules/index.js';
import { isUuid, type RunSelection, type ScheduleSelection } from '../../storage/index.js';
import type { Instant } from '../../triggers/index.js';
import type { OrphanFilter } from './listed-schedule.js';

/** Which schedules to list; what is omitted does not restrict. */
export interface ScheduleFilter {
  /** Only schedules of this job. */
  readonly jobName?: string | undefined;
  /** Only enabled ones, or only paused ones. */
  readonly enabled?: boolean | undefined;
  /** Whether no live node registers the job. */
  readonly orphaned?: boolean | undefined;
}

/** Which runs to list; what is omitted does not restrict. */
export interface RunFilter {
  /** Runs of the schedule that has this name now, and of those that had it. */
  readonly scheduleName?: string | undefined;
  /** Only runs of this job. */
  readonly jobName?: string | undefined;
  /** Only runs with one of these statuses. */
  readonly statuses?: readonly RunStatus[] | undefined;
  /** Earliest logical fire time, inclusive. */
  readonly since?: Instant | undefined;
  /** Latest logical fire time, inclusive. */
  readonly until?: Instant | undefined;
  /** Only runs with one of these reasons. */
  readonly reasons?: readonly RunReason[] | undefined;
  /** Where the list goes on: the id of the last run of the page before. */
  readonly cursor?: string | undefined;
  /** 1–1000; omitted or 0 means 100, more than 1000 means 1000. */
  readonly limit?: number | undefined;
}

const DEFAULT_RUN_LIMIT = 100;
/** Most runs of one list. */
export const MAX_RUN_LIMIT = 1_000;

/** Checks a filter for schedules. */
export function scheduleSelectionOf(filter: ScheduleFilter): ScheduleSelection & OrphanFilter {
  const fields = knownFields(filter, ['jobName', 'enabled', 'orphaned'], 'a filter for schedules');
  return definedFields({
    jobName: textOf(fields, 'jobName'),
    isEnabled: flagField(fields['enabled'], 'The filter `enabled`'),
    isOrphaned: flagField(fields['orphaned'], 'The filter `orphaned`'),
  });
}

/** Checks a filter for runs. */
export function runSelectionOf(filter: RunFilter): RunSelection {
  const fields = knownFields(
    filter,
    ['scheduleName', 'jobName', 'statuses', 'reasons', 'since', 'until', 'cursor', 'limit'],
    'a filter for runs',
  );
  return definedFields({
    scheduleName: textOf(fields, 'scheduleName'),
    jobName: textOf(fields, 'jobName'),
    statuses: wordsOf(fields, 'statuses', RUN_STATUSES),
    reasons: wordsOf(fields, 'reasons', RUN_REASONS),
    scheduledAtFromUnixMs: instantField(fields['since'], 'The filter `since`'),
    scheduledAtToUnixMs: instantField(fields['until'], 'The filter `until`'),
    beforeId: cursorOf(fields['cursor']),
    limit: limitOf(fields['limit']),
  });
}

function textOf(fields: Fields, field: string): string | undefined {
  const value = fields[field];
  if (value === undefined || (typeof value === 'string' && isStorableText(value))) {
    return value;
  }
  throw new ScheduleInvalidError(
    `The filter \`${field}\` must be a string without NUL characters or lone surrogates.`,
  );
}

function wordsOf<Word extends string>(
  fields: Fields,
  field: string,
  words: readonly Word[],
): readonly Word[] | undefined {
  const value = fields[field];
  if (value === undefined) {
    return undefined;
  }
  const found = elementsOf(value)?.map((given) => words.find((word) => word === given));
  if (found === undefined || found.includes(undefined)) {
    throw new ScheduleInvalidError(`The filter \`${field}\` must be an array of ${words.join(', ')}.`);
  }
  return found.filter((word) => word !== undefined);
}

function elementsOf(value: unknown): readonly unknown[] | undefined {
  try {
    return Array.isArray(value) ? Array.from<unknown>(value) : undefined;
  } catch {
    return undefined;
  }
}

function cursorOf(value: unknown): string | undefined {
  if (value !== undefined && !isUuid(value)) {
    throw new ScheduleInvalidError('The filter `cursor` must be the id of a run.');
  }
  return value;
}

function limitOf(value: unknown = 0): number {
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0) {
    throw new ScheduleInvalidError('The filter `limit` must be a whole number from 0 (the default, 100) on.');
  }
  return value === 0 ? DEFAULT_RUN_LIMIT : Math.min(value, MAX_RUN_LIMIT);
}
