import type { Run } from '../../schedules/index.js';
import { Conditions } from '../statements/conditions.js';
import type { Executor } from '../connections/executor.js';
import { pageOf, type Page, type PageSlice, type Tally } from '../statements/page.js';
import { RUN_COLUMNS, toRun, type RunRow } from '../runs/run.rows.js';
import { filtersOf, type RunSearch } from './run-search.js';
import { RunWindows, type Window } from './run-windows.js';
import type { StoreSchema } from '../schema/store-schema.js';

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
  private readonly windows: RunWindows;

  constructor(private readonly schema: StoreSchema) {
    this.windows = new RunWindows(schema);
  }

  /** Finds a page of runs, the newest claim first unless sorted otherwise; their errors are shortened. */
  async find(executor: Executor, search: RunSearch, slice: PageSlice<RunSortField>): Promise<Page<Run>> {
    const conditions = new Conditions();
    const window = await this.windows.narrowest(executor, search);
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
    const window = await this.windows.narrowest(executor, search);
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
      `select count(*) filter (where ${filtersOf(search, conditions, this.schema)}) as matched, count(*) as searched
       from (${searched}) r`,
      conditions.values,
    );
    return tally;
  }

  private matching(search: RunSearch, window: Window, conditions: Conditions): string {
    return `(${window(conditions)}) r where ${filtersOf(search, conditions, this.schema)}`;
  }
}

function orderOf({ sort }: PageSlice<RunSortField>): string {
  const { field, isDescending } = sort ?? { field: 'claimedAtUnixMs', isDescending: true };
  const direction = isDescending ? 'desc' : 'asc';
  return field === 'claimedAtUnixMs'
    ? `r.id ${direction}`
    : `${SORT_COLUMNS[field]} ${direction} nulls last, r.id desc`;
}
