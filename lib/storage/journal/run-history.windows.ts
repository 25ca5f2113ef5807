import { allOf, type Conditions } from '../statements/conditions.js';
import { FIRST_ID, LAST_ID, smallestIdAt } from '../statements/identifiers.js';
import { onlyStatusOf, timeRangeOf, type RunSearch } from './run-search.js';
import type { StoreSchema } from '../schema/store-schema.js';

/** A part of the journal that one index yields, the newest claim first. */
export interface HistoryWindow {
  /** The order of its runs `r`, in the columns of that index, which then yields them without a sort. */
  readonly order: string;
  /** The query for its runs; adds its values to the conditions of the statement that it becomes a part of. */
  readonly rows: (conditions: Conditions) => string;
}

/** Where to look for runs: above the first id or at it, and below the second. */
export type IdRange = readonly [from: string, below: string];

type KeyColumn = 'schedule_id' | 'job_name' | 'status';

/** Finds out on which index a search can go back in time. */
export class RunHistoryWindows {
  constructor(private readonly schema: StoreSchema) {}

  /**
   * The window of a search: on the index of the filter that as a rule leaves the fewest runs, or on the primary key.
   *
   * @param scheduleIds the schedules whose runs are searched for, where the search is about a schedule.
   */
  of(search: RunSearch, scheduleIds: readonly string[] | undefined, ids: IdRange): HistoryWindow {
    const { jobName } = search;
    const status = onlyStatusOf(search);
    if (scheduleIds !== undefined) {
      const [only, ...others] = scheduleIds;
      return only === undefined || others.length > 0
        ? this.ofSchedules(scheduleIds, ids)
        : this.keyed('schedule_id', only, 'uuid', ids);
    }
    if (status !== undefined && status !== 'succeeded') {
      return status === 'running'
        ? this.ofRunning(ids)
        : this.keyed('status', status, 'text', ids, `r.status not in ('running', 'succeeded')`);
    }
    return jobName === undefined ? this.ofAll(ids) : this.keyed('job_name', jobName, 'text', ids);
  }

  /** All runs of a range of logical times. Their order is made by a sort, so that they have to be few. */
  ofTimeRange(search: RunSearch): HistoryWindow {
    return {
      order: 'r.id desc',
      rows: (conditions) =>
        `select r.* from ${this.schema.run} r where ${allOf(timeRangeOf(search, conditions))} order by r.id desc`,
    };
  }

  private ofAll(ids: IdRange): HistoryWindow {
    return {
      order: 'r.id desc',
      rows: (conditions) =>
        `select r.* from ${this.schema.run} r where ${within(ids, conditions)} order by r.id desc`,
    };
  }

  /** Those that run are few, and have an index of their own, which the word itself lets the planner see. */
  private ofRunning(ids: IdRange): HistoryWindow {
    return {
      order: 'r.id desc',
      rows: (conditions) =>
        `select r.* from ${this.schema.run} r where r.status = 'running' and ${within(ids, conditions)} order by r.id desc`,
    };
  }

  /** Of the schedules that have or had one name, seldom more than one. */
  private ofSchedules(scheduleIds: readonly string[], ids: IdRange): HistoryWindow {
    return {
      order: 'r.id desc',
      rows: (conditions) => `
        select r.* from unnest(${conditions.parameter(scheduleIds)}::uuid[]) named (id) cross join lateral (
          select r.* from ${this.schema.run} r where r.schedule_id = named.id and ${within(ids, conditions)}
          order by r.id desc limit ${STEP_SIZE}
        ) r order by r.id desc`,
    };
  }

  /**
   * Of one key of an index on it and the id. Both are compared as one: an equality would let the planner walk the primary
   * key instead, past every other run, however far back those of the key are.
   */
  private keyed(
    column: KeyColumn,
    value: string,
    type: 'uuid' | 'text',
    [from, below]: IdRange,
    condition = 'true',
  ): HistoryWindow {
    const order = `r.${column} desc, r.id desc`;
    return {
      order,
      rows: (conditions) => {
        const key = `${conditions.parameter(value)}::${type}`;
        return `
          select r.* from ${this.schema.run} r
          where (r.${column}, r.id) >= (${key}, ${conditions.parameter(from)}::uuid)
            and (r.${column}, r.id) < (${key}, ${conditions.parameter(below)}::uuid) and ${condition}
          order by ${order}`;
      },
    };
  }
}

/** Most runs that one step through the history looks at. */
export const STEP_SIZE = 10_000;

/**
 * The ids that a step can find. Nothing is claimed before its time, so that a bound of the logical time bounds the ids,
 * which sort by claim.
 */
export function idRangeOf({ scheduledAtFromUnixMs }: RunSearch, beforeId: string = LAST_ID): IdRange {
  return [scheduledAtFromUnixMs === undefined ? FIRST_ID : smallestIdAt(scheduledAtFromUnixMs), beforeId];
}

/** The condition on the id of a run `r`. */
export function within([from, below]: IdRange, conditions: Conditions): string {
  return `r.id >= ${conditions.parameter(from)}::uuid and r.id < ${conditions.parameter(below)}::uuid`;
}
