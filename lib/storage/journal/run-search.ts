import type { RunReason, RunStatus } from '../../schedules/index.js';
import { allOf, type Conditions } from '../statements/conditions.js';
import type { StoreSchema } from '../schema/store-schema.js';

/** Which runs to find; what is absent does not restrict. */
export interface RunSearch {
  readonly id?: string;
  /** Runs of the schedule that has this name now, and of those that had it. */
  readonly scheduleName?: string;
  readonly jobName?: string;
  /** Runs with one of these. */
  readonly statuses?: readonly RunStatus[];
  readonly reasons?: readonly RunReason[];
  readonly nodeId?: string;
  /** Bounds of the logical fire time, both inclusive. */
  readonly scheduledAtFromUnixMs?: number;
  readonly scheduledAtToUnixMs?: number;
}

/** Every condition of a search on a run `r`, apart from its id. */
export function filtersOf(search: RunSearch, conditions: Conditions, schema: StoreSchema): string {
  return allOf([
    ...conditions.where(
      search.scheduleName,
      (value) =>
        `r.schedule_id in (select n.schedule_id from ${schema.scheduleName} n where n.name = ${value})`,
    ),
    ...conditions.where(search.jobName, (value) => `r.job_name = ${value}`),
    ...conditions.where(search.statuses, (value) => `r.status = any(${value}::text[])`),
    ...conditions.where(search.reasons, (value) => `r.reason = any(${value}::text[])`),
    ...conditions.where(search.nodeId, (value) => `r.node_id = ${value}`),
    ...timeRangeOf(search, conditions),
  ]);
}

/** The condition that a run `r` is of one of these schedules, where a search is about any. */
export function ofSchedules(
  scheduleIds: readonly string[] | undefined,
  conditions: Conditions,
): readonly string[] {
  return conditions.where(scheduleIds, (value) => `r.schedule_id = any(${value}::uuid[])`);
}

/** The status of all runs of a search; none where it is about several, or does not ask. */
export function onlyStatusOf({ statuses = [] }: RunSearch): RunStatus | undefined {
  const [only, ...others] = statuses;
  return others.length === 0 ? only : undefined;
}

export function hasTimeRange({ scheduledAtFromUnixMs, scheduledAtToUnixMs }: RunSearch): boolean {
  return scheduledAtFromUnixMs !== undefined || scheduledAtToUnixMs !== undefined;
}

export function timeRangeOf(search: RunSearch, conditions: Conditions): readonly string[] {
  return [
    ...conditions.where(
      search.scheduledAtFromUnixMs,
      (value) => `r.scheduled_at_unix_ms >= ${value}::bigint`,
    ),
    ...conditions.where(search.scheduledAtToUnixMs, (value) => `r.scheduled_at_unix_ms <= ${value}::bigint`),
  ];
}
