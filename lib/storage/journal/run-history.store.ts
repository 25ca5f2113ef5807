import type { RunSummary } from '../../schedules/index.js';
import { optional } from '../statements/column-values.js';
import { allOf, Conditions } from '../statements/conditions.js';
import type { Executor } from '../connections/executor.js';
import { schedulesNamed } from './named-schedules.js';
import {
  idRangeOf,
  RunHistoryWindows,
  STEP_SIZE,
  within,
  type HistoryWindow,
} from './run-history.windows.js';
import { filtersOf, hasTimeRange, ofSchedules, timeRangeOf, type RunSearch } from './run-search.js';
import { SUMMARY_COLUMNS, toRun, type RunRow } from '../runs/run.rows.js';
import type { StoreSchema } from '../schema/store-schema.js';

/** Which runs to walk through; what is absent does not restrict. */
export type RunHistorySearch = Omit<RunSearch, 'id'>;

/** Where a step begins, and how many items it may have. */
export interface HistoryStep {
  /** Begins with the run before this one; absent: with the newest. */
  readonly beforeId?: string;
  readonly limit: number;
}

/** A part of the history of runs, the newest claim first. */
export interface RunHistory {
  readonly items: readonly RunSummary[];
  /** Where the history goes on: before this run, the last one that was looked at. Absent at its end. */
  readonly nextBeforeId?: string;
}

/** A run that was found, or none, and the last run of what was searched where that is not everything. */
type FoundRow = (RunRow | { readonly id: null }) & { readonly end_id: string | null };

/**
 * Walks through the journal from the newest claim back. What comes next depends on an id alone, and ids sort by claim,
 * so that runs that arrive meanwhile neither repeat an item nor push one out of sight.
 *
 * Each step looks at STEP_SIZE runs at most. Where so many hold fewer than were asked for, the step answers with those,
 * or with none, and the next one goes on from there: a rare run is found in many small steps instead of one long scan.
 */
export class RunHistoryStore {
  private readonly windows: RunHistoryWindows;

  constructor(private readonly schema: StoreSchema) {
    this.windows = new RunHistoryWindows(schema);
  }

  async find(executor: Executor, search: RunHistorySearch, step: HistoryStep): Promise<RunHistory> {
    const { scheduleName, ...others } = search;
    const scheduleIds = await schedulesNamed(executor, this.schema, scheduleName);
    const ids = idRangeOf(search, step.beforeId);
    const isWhole = hasTimeRange(search) && (await this.isShort(executor, search));
    const window = isWhole ? this.windows.ofTimeRange(search) : this.windows.of(search, scheduleIds, ids);
    const conditions = new Conditions();
    const filtersIn = (values: Conditions): string =>
      allOf([
        within(ids, values),
        ...ofSchedules(scheduleIds, values),
        filtersOf(others, values, this.schema),
      ]);
    const textOf = isWhole ? wholeText : stepText;
    const text = textOf(window, filtersIn, step.limit, conditions);
    const rows = await executor.query<FoundRow>(text, conditions.values);
    const found = rows.flatMap((row) => (row.id === null ? [] : [toRun(row)]));
    const items = found.slice(0, step.limit);
    const nextBeforeId = found.length > step.limit ? items.at(-1)?.id : rows[0]?.end_id;
    return { items, ...optional('nextBeforeId', nextBeforeId ?? null) };
  }

  /** Whether a range of logical times has so few runs that one step can look at all of them. */
  private async isShort(executor: Executor, search: RunSearch): Promise<boolean> {
    const conditions = new Conditions();
    const [counted] = await executor.query<{ size: number | string }>(
      `select count(*) as size from (
         select 1 from ${this.schema.run} r where ${allOf(timeRangeOf(search, conditions))}
         order by r.scheduled_at_unix_ms limit ${STEP_SIZE}) counted`,
      conditions.values,
    );
    return Number(counted?.size) < STEP_SIZE;
  }
}

type FiltersIn = (conditions: Conditions) => string;

/** Finds in all of a window. */
function wholeText(
  { rows, order }: HistoryWindow,
  filtersIn: FiltersIn,
  limit: number,
  conditions: Conditions,
): string {
  return `
    select ${SUMMARY_COLUMNS}, null as end_id from (${rows(conditions)}) r where ${filtersIn(conditions)}
    order by ${order} limit ${conditions.parameter(limit + 1)}`;
}

/**
 * Finds in the first STEP_SIZE runs of a window. Items and end are read by one statement: two would see different
 * journals. The end is looked for only where the items do not tell where to go on.
 */
function stepText(
  { rows, order }: HistoryWindow,
  filtersIn: FiltersIn,
  limit: number,
  conditions: Conditions,
): string {
  const stretch = (): string => `(${rows(conditions)} limit ${STEP_SIZE}) r`;
  return `
    with found as materialized (
      select ${SUMMARY_COLUMNS} from ${stretch()} where ${filtersIn(conditions)}
      order by ${order} limit ${conditions.parameter(limit + 1)}
    )
    select found.*, step.end_id
    from (select case when (select count(*) from found) <= ${conditions.parameter(limit)}::bigint
      then (select r.id from ${stretch()} order by ${order} offset ${STEP_SIZE - 1} limit 1) end as end_id) step
    left join found on true order by found.id desc`;
}
