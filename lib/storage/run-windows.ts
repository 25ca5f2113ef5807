import { allOf, Conditions } from './conditions.js';
import type { Executor } from './executor.js';
import { WINDOW_SIZE } from './page.js';
import { hasTimeRange, idRangeOf, timeRangeOf, type RunSearch } from './run-search.js';
import type { StoreSchema } from './store-schema.js';

/**
 * A part of the journal that one index yields: at most WINDOW_SIZE runs, in which whatever a search asks for beyond that
 * index is looked for.
 */
export interface Window {
  /** Whether its runs are the newest claims; else it has those of the latest logical times. */
  readonly isByClaim: boolean;
  /** The query for its runs `r`; adds its values to the conditions of the statement that it becomes a part of. */
  query(conditions: Conditions): string;
}

/** Windows of the journal, so that no search reads all of it. */
export class RunWindows {
  constructor(private readonly schema: StoreSchema) {}

  /** The windows of a search; each of its filters that has an index makes one, and none of them the newest claims. */
  of(search: RunSearch): readonly [Window, ...Window[]] {
    const [first, ...others] = this.indexed(search);
    return first === undefined ? [this.newest(search, () => [])] : [first, ...others];
  }

  /** The newest claims of all. */
  newestOf(search: RunSearch): Window {
    return this.newest(search, () => []);
  }

  /** How many runs a window has, WINDOW_SIZE at most: then there may be more beyond it. */
  async size(executor: Executor, window: Window): Promise<number> {
    const conditions = new Conditions();
    const [counted] = await executor.query<{ size: number | string }>(
      `select count(*) as size from (${window.query(conditions)}) r`,
      conditions.values,
    );
    return Number(counted?.size);
  }

  private indexed(search: RunSearch): readonly Window[] {
    const { id, scheduleName, jobName, status } = search;
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
    return {
      isByClaim: true,
      query: (conditions) => `
        select r.* from ${this.schema.run} r
        where ${allOf([...indexed(conditions), ...idRangeOf(search, conditions)])}
        order by r.id desc limit ${WINDOW_SIZE}`,
    };
  }

  /** One index range for each schedule that has or had the name; seldom more than one. */
  private ofSchedule(search: RunSearch, scheduleName: string): Window {
    return {
      isByClaim: true,
      query: (conditions) => `
        select r.* from ${this.schema.scheduleName} n cross join lateral (
          select r.* from ${this.schema.run} r
          where ${allOf(['r.schedule_id = n.schedule_id', ...idRangeOf(search, conditions)])}
          order by r.id desc limit ${WINDOW_SIZE}
        ) r
        where n.name = ${conditions.parameter(scheduleName)}
        order by r.id desc limit ${WINDOW_SIZE}`,
    };
  }

  private inTimeRange(search: RunSearch): Window {
    return {
      isByClaim: false,
      query: (conditions) => `
        select r.* from ${this.schema.run} r where ${allOf(timeRangeOf(search, conditions))}
        order by r.scheduled_at_unix_ms desc limit ${WINDOW_SIZE}`,
    };
  }
}
