import { allOf, Conditions } from '../statements/conditions.js';
import type { Executor } from '../connections/executor.js';
import { smallestIdAt } from '../statements/identifiers.js';
import { WINDOW_SIZE } from '../statements/page.js';
import { hasTimeRange, onlyStatusOf, timeRangeOf, type RunSearch } from './run-search.js';
import type { StoreSchema } from '../schema/store-schema.js';

/**
 * A query for at most WINDOW_SIZE runs that one index yields, in which whatever else a search asks for is looked for. Its
 * values are added to the conditions of the statement that it becomes a part of.
 */
export type Window = (conditions: Conditions) => string;

/** Finds out by which window of the journal a search can go, so that none reads all of it. */
export class RunWindows {
  constructor(private readonly schema: StoreSchema) {}

  /** The window that yields the fewest runs, of those that the filters with an index make. */
  async narrowest(executor: Executor, search: RunSearch): Promise<Window> {
    const [first, ...others] = this.indexed(search);
    if (first === undefined) {
      return this.newest(search, () => []);
    }
    if (others.length === 0) {
      return first;
    }
    let narrowest = { window: first, size: Infinity };
    for (const window of [first, ...others]) {
      const size = await sizeOf(executor, window);
      narrowest = size < narrowest.size ? { window, size } : narrowest;
    }
    return narrowest.window;
  }

  private indexed(search: RunSearch): readonly Window[] {
    const { id, scheduleName, jobName } = search;
    const status = onlyStatusOf(search);
    if (id !== undefined) {
      return [this.newest(search, (conditions) => conditions.where(id, (value) => `r.id = ${value}::uuid`))];
    }
    return [
      ...(scheduleName === undefined ? [] : [this.ofSchedule(search, scheduleName)]),
      ...(jobName === undefined
        ? []
        : [
            this.newest(search, (conditions) =>
              conditions.where(jobName, (value) => `r.job_name = ${value}`),
            ),
          ]),
      // The statuses are words of ours; written out, they let the planner see that a partial index has them.
      ...(status === undefined || status === 'succeeded'
        ? []
        : [this.newest(search, () => [`r.status = '${status}'`])]),
      ...(hasTimeRange(search) ? [this.inTimeRange(search)] : []),
    ];
  }

  /** The newest claims that meet conditions on the columns of one index. */
  private newest(search: RunSearch, indexed: (conditions: Conditions) => readonly string[]): Window {
    return (conditions) => `
        select r.* from ${this.schema.run} r
        where ${allOf([...indexed(conditions), ...earliestClaim(search, conditions)])}
        order by r.id desc limit ${WINDOW_SIZE}`;
  }

  /** One index range for each schedule that has or had the name; seldom more than one. */
  private ofSchedule(search: RunSearch, scheduleName: string): Window {
    return (conditions) => `
        select r.* from ${this.schema.scheduleName} n cross join lateral (
          select r.* from ${this.schema.run} r
          where ${allOf(['r.schedule_id = n.schedule_id', ...earliestClaim(search, conditions)])}
          order by r.id desc limit ${WINDOW_SIZE}
        ) r
        where n.name = ${conditions.parameter(scheduleName)}
        order by r.id desc limit ${WINDOW_SIZE}`;
  }

  private inTimeRange(search: RunSearch): Window {
    return (conditions) => `
        select r.* from ${this.schema.run} r where ${allOf(timeRangeOf(search, conditions))}
        order by r.scheduled_at_unix_ms desc limit ${WINDOW_SIZE}`;
  }
}

async function sizeOf(executor: Executor, window: Window): Promise<number> {
  const conditions = new Conditions();
  const [counted] = await executor.query<{ size: number | string }>(
    `select count(*) as size from (${window(conditions)}) r`,
    conditions.values,
  );
  return Number(counted?.size);
}

/** Nothing is claimed before its time, so that a bound of the logical time bounds the ids, which sort by claim. */
function earliestClaim({ scheduledAtFromUnixMs }: RunSearch, conditions: Conditions): readonly string[] {
  return scheduledAtFromUnixMs === undefined
    ? []
    : conditions.where(smallestIdAt(scheduledAtFromUnixMs), (value) => `r.id >= ${value}::uuid`);
}
