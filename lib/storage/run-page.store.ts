import type { Run, RunStatus } from '../schedules/index.js';
import { allOf, Conditions } from './conditions.js';
import type { Executor } from './executor.js';
import { smallestIdAt } from './identifiers.js';
import { pageOf, WINDOW_SIZE, type Page, type PageSlice, type Tally } from './page.js';
import { RUN_COLUMNS, toRun, type RunRow } from './run.rows.js';
import type { StoreSchema } from './store-schema.js';

/** Which runs to find; what is absent does not restrict. */
export interface RunSearch {
  readonly id?: string;
  /** Runs of the schedule that has this name now, and of those that had it. */
  readonly scheduleName?: string;
  readonly jobName?: string;
  readonly status?: RunStatus;
  readonly nodeId?: string;
  /** Bounds of the logical fire time, both inclusive. */
  readonly scheduledAtFromUnixMs?: number;
  readonly scheduledAtToUnixMs?: number;
}

const SORT_COLUMNS = {
  claimedAtUnixMs: 'r.id',
  scheduledAtUnixMs: 'r.scheduled_at_unix_ms',
  durationMs: 'r.duration_ms',
} as const;

/** A column by which runs can be sorted. */
export type RunSortField = keyof typeof SORT_COLUMNS;

/** Every column by which runs can be sorted, the default first. */
export const RUN_SORT_FIELDS = Object.keys(SORT_COLUMNS) as RunSortField[];

/** Longest error on a page, in characters. */
const MAX_PAGED_ERROR_LENGTH = 200;

const PAGE_COLUMNS = RUN_COLUMNS.replace(
  'r.error',
  `case when length(r.error) > ${MAX_PAGED_ERROR_LENGTH}
    then left(r.error, ${MAX_PAGED_ERROR_LENGTH - 1}) || '…' else r.error end as error`,
);

/**
 * Finds runs without ever reading the whole journal: what is searched is a window, the newest WINDOW_SIZE runs that one
 * index yields, and every other filter applies within it. Where several filters have an index, the one that yields the
 * fewest runs is taken. When the window is full, older runs were not searched, and the total says so.
 */
export class RunPageStore {
  constructor(private readonly schema: StoreSchema) {}

  /** Finds a page of runs, the newest claim first unless sorted otherwise; their errors are shortened. */
  async find(executor: Executor, search: RunSearch, slice: PageSlice<RunSortField>): Promise<Page<Run>> {
    const conditions = new Conditions();
    const window = await this.narrowestWindow(executor, search);
    const source = this.matching(search, window, conditions);
    const page = `offset ${conditions.parameter(slice.offset)} limit ${conditions.parameter(slice.limit)}`;
    const rows = await executor.query<RunRow>(
      `select ${PAGE_COLUMNS} from ${source} order by ${orderOf(slice)} ${page}`,
      conditions.values,
    );
    return pageOf(rows.map(toRun), await this.tally(executor, search, window));
  }

  /** Finds one run, with all of its error. */
  async findOne(executor: Executor, search: RunSearch): Promise<Run | undefined> {
    const conditions = new Conditions();
    const window = await this.narrowestWindow(executor, search);
    const source = this.matching(search, window, conditions);
    const [row] = await executor.query<RunRow>(
      `select ${RUN_COLUMNS} from ${source} order by r.id desc limit 1`,
      conditions.values,
    );
    return row === undefined ? undefined : toRun(row);
  }

  private async tally(executor: Executor, search: RunSearch, window: Window): Promise<Tally | undefined> {
    const conditions = new Conditions();
    const searched = window(conditions);
    const [tally] = await executor.query<Tally>(
      `select count(*) filter (where ${this.filters(search, conditions)}) as matched, count(*) as searched
       from (${searched}) r`,
      conditions.values,
    );
    return tally;
  }

  private matching(search: RunSearch, window: Window, conditions: Conditions): string {
    return `(${window(conditions)}) r where ${this.filters(search, conditions)}`;
  }

  private filters(search: RunSearch, conditions: Conditions): string {
    return allOf([
      ...conditions.where(
        search.scheduleName,
        (value) =>
          `r.schedule_id in (select n.schedule_id from ${this.schema.scheduleName} n where n.name = ${value})`,
      ),
      ...conditions.where(search.jobName, (value) => `r.job_name = ${value}`),
      ...conditions.where(search.status, (value) => `r.status = ${value}`),
      ...conditions.where(search.nodeId, (value) => `r.node_id = ${value}`),
      ...timeRange(search, conditions),
    ]);
  }

  private async narrowestWindow(executor: Executor, search: RunSearch): Promise<Window> {
    const [first, ...others] = this.windowsOf(search);
    if (first === undefined) {
      return this.newest(search, () => []);
    }
    if (others.length === 0) {
      return first;
    }
    let narrowest = { window: first, size: Infinity };
    for (const window of [first, ...others]) {
      const conditions = new Conditions();
      const [counted] = await executor.query<{ size: number | string }>(
        `select count(*) as size from (${window(conditions)}) r`,
        conditions.values,
      );
      const size = Number(counted?.size);
      narrowest = size < narrowest.size ? { window, size } : narrowest;
    }
    return narrowest.window;
  }

  /** The windows that an index yields for the search; each filter that has an index makes one. */
  private windowsOf(search: RunSearch): readonly Window[] {
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
      select r.* from ${this.schema.run} r where ${allOf(timeRange(search, conditions))}
      order by r.scheduled_at_unix_ms desc limit ${WINDOW_SIZE}`;
  }
}

/** A query for at most WINDOW_SIZE runs, its values added to the conditions of the statement it becomes a part of. */
type Window = (conditions: Conditions) => string;

function hasTimeRange({ scheduledAtFromUnixMs, scheduledAtToUnixMs }: RunSearch): boolean {
  return scheduledAtFromUnixMs !== undefined || scheduledAtToUnixMs !== undefined;
}

function timeRange(search: RunSearch, conditions: Conditions): readonly string[] {
  return [
    ...conditions.where(
      search.scheduledAtFromUnixMs,
      (value) => `r.scheduled_at_unix_ms >= ${value}::bigint`,
    ),
    ...conditions.where(search.scheduledAtToUnixMs, (value) => `r.scheduled_at_unix_ms <= ${value}::bigint`),
  ];
}

/** Nothing is claimed before its time, so that a bound of the logical time bounds the ids, which sort by claim. */
function earliestClaim({ scheduledAtFromUnixMs }: RunSearch, conditions: Conditions): readonly string[] {
  return scheduledAtFromUnixMs === undefined
    ? []
    : conditions.where(smallestIdAt(scheduledAtFromUnixMs), (value) => `r.id >= ${value}::uuid`);
}

function orderOf({ sort }: PageSlice<RunSortField>): string {
  const { field, isDescending } = sort ?? { field: 'claimedAtUnixMs', isDescending: true };
  const direction = isDescending ? 'desc' : 'asc';
  return field === 'claimedAtUnixMs'
    ? `r.id ${direction}`
    : `${SORT_COLUMNS[field]} ${direction} nulls last, r.id desc`;
}
