import { allOf, Conditions } from './conditions.js';
import type { Executor } from './executor.js';
import { WINDOW_SIZE } from './page.js';
import { hasTimeRange, idRangeOf, timeRangeOf, type RunSearch } from './run-search.js';
import type { StoreSchema } from './store-schema.js';

/** A part of the journal that one index yields in an order, in which whatever else a search asks for is looked for. */
export interface Window {
  /** Whether the order is that of the claims, the newest first; else it is that of the logical times, the latest first. */
  readonly isByClaim: boolean;
  /** The query for its runs `r`; adds its values to the conditions of the statement that it becomes a part of. */
  rows(conditions: Conditions): string;
}

/** The query for the first WINDOW_SIZE runs of a window, so that no search reads the whole journal. */
export function boundedRows(window: Window, conditions: Conditions): string {
  return `${window.rows(conditions)} limit ${WINDOW_SIZE}`;
}

/** Finds out by which windows of the journal a search can go. */
export class RunWindows {
  constructor(private readonly schema: StoreSchema) {}

  /** The windows of a search: one for each of its filters that has an index, or without any the newest claims. */
  of(search: RunSearch): readonly [Window, ...Window[]] {
    const [first, ...others] = this.indexed(search);
    return first === undefined ? [this.newestClaims(search)] : [first, ...others];
  }

  newestClaims(search: RunSearch): Window {
    return this.byClaim(search, () => []);
  }

  /** The window that yields the fewest runs, and how many: WINDOW_SIZE where there are so many or more. */
  async narrowest(
    executor: Executor,
    [first, ...others]: readonly [Window, ...Window[]],
  ): Promise<{ readonly window: Window; readonly size: number }> {
    let narrowest = { window: first, size: await this.sizeOf(executor, first) };
    for (const window of others) {
      const size = await this.sizeOf(executor, window);
      narrowest = size < narrowest.size ? { window, size } : narrowest;
    }
    return narrowest;
  }

  private async sizeOf(executor: Executor, window: Window): Promise<number> {
    const conditions = new Conditions();
    const [counted] = await executor.query<{ size: number | string }>(
      `select count(*) as size from (${boundedRows(window, conditions)}) r`,
      conditions.values,
    );
    return Number(counted?.size);
  }

  private indexed(search: RunSearch): readonly Window[] {
    const { id, scheduleName, jobName, status } = search;
    if (id !== undefined) {
      return [this.byClaim(search, (conditions) => conditions.where(id, (value) => `r.id = ${value}::uuid`))];
    }
    return [
      ...(scheduleName === undefined ? [] : [this.ofSchedule(search, scheduleName)]),
      ...(jobName === undefined
        ? []
        : [
            this.byClaim(search, (conditions) =>
              conditions.where(jobName, (value) => `r.job_name = ${value}`),
            ),
          ]),
      // The statuses are words of ours; written out, they let the planner see that a partial index has them.
      ...(status === undefined || status === 'succeeded'
        ? []
        : [this.byClaim(search, () => [`r.status = '${status}'`])]),
      ...(hasTimeRange(search) ? [this.inTimeRange(search)] : []),
    ];
  }

  /** The newest claims that meet conditions on the columns of one index. */
  private byClaim(search: RunSearch, indexed: (conditions: Conditions) => readonly string[]): Window {
    return {
      isByClaim: true,
      rows: (conditions) => `
        select r.* from ${this.schema.run} r
        where ${allOf([...indexed(conditions), ...idRangeOf(search, conditions)])}
        order by r.id desc`,
    };
  }

  /** One index range for each schedule that has or had the name; seldom more than one. */
  private ofSchedule(search: RunSearch, scheduleName: string): Window {
    return {
      isByClaim: true,
      rows: (conditions) => `
        select r.* from ${this.schema.scheduleName} n cross join lateral (
          select r.* from ${this.schema.run} r
          where ${allOf(['r.schedule_id = n.schedule_id', ...idRangeOf(search, conditions)])}
          order by r.id desc limit ${WINDOW_SIZE}
        ) r
        where n.name = ${conditions.parameter(scheduleName)}
        order by r.id desc`,
    };
  }

  private inTimeRange(search: RunSearch): Window {
    return {
      isByClaim: false,
      rows: (conditions) => `
        select r.* from ${this.schema.run} r where ${allOf(timeRangeOf(search, conditions))}
        order by r.scheduled_at_unix_ms desc`,
    };
  }
}
