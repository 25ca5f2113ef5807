import type { RunSummary } from '../schedules/index.js';
import { optional } from './column-values.js';
import { Conditions } from './conditions.js';
import type { Executor } from './executor.js';
import { WINDOW_SIZE } from './page.js';
import { filtersOf, type RunSearch } from './run-search.js';
import { boundedRows, RunWindows, type Window } from './run-windows.js';
import { RUN_COLUMNS, toRun, type RunRow } from './run.rows.js';
import type { StoreSchema } from './store-schema.js';

/** A part of the history of runs, the newest claim first. */
export interface RunHistory {
  readonly items: readonly RunSummary[];
  /** Where the history goes on: before this run, which is the last one that was looked at. Absent at its end. */
  readonly nextBeforeId?: string;
}

/** A run that was found, or none, and the last run of what was searched where that is not everything. */
type FoundRow = (RunRow | { readonly id: null }) & { readonly end_id: string | null };

const SUMMARY_COLUMNS = RUN_COLUMNS.replace('r.error', 'null as error');

/**
 * Walks through the journal from the newest claim back. What comes next depends on an id alone, and ids sort by claim,
 * so that runs that arrive meanwhile neither repeat an item nor push one out of sight.
 *
 * Each step looks at WINDOW_SIZE runs at most. Where so many hold fewer than were asked for, the step answers with those,
 * or with none, and goes on from there with the next: a rare run is found in many small steps instead of one long scan.
 */
export class RunHistoryStore {
  private readonly windows: RunWindows;

  constructor(private readonly schema: StoreSchema) {
    this.windows = new RunWindows(schema);
  }

  async find(executor: Executor, search: RunSearch, limit: number): Promise<RunHistory> {
    const conditions = new Conditions();
    const text = this.findText(await this.partOf(executor, search), search, limit, conditions);
    const rows = await executor.query<FoundRow>(text, conditions.values);
    const found = rows.flatMap((row) => (row.id === null ? [] : [toRun(row)]));
    const items = found.slice(0, limit);
    const nextBeforeId = found.length > limit ? items.at(-1)?.id : rows[0]?.end_id;
    return { items, ...optional('nextBeforeId', nextBeforeId ?? null) };
  }

  /**
   * Items and end are read by one statement: two would see different journals. The end is looked for only where the
   * items do not tell where to go on.
   */
  private findText({ rows, end }: Part, search: RunSearch, limit: number, conditions: Conditions): string {
    return `
      with found as materialized (
        select ${SUMMARY_COLUMNS} from (${rows(conditions)}) r where ${filtersOf(search, conditions, this.schema)}
        order by r.id desc limit ${conditions.parameter(limit + 1)}
      )
      select found.*, part.end_id
      from (select case when (select count(*) from found) <= ${conditions.parameter(limit)}::bigint then (${end(conditions)}) end as end_id) part
      left join found on true order by found.id desc`;
  }

  /**
   * The window with the fewest runs where those are all there are. Where there are more, the first WINDOW_SIZE of a
   * window in the order of the claims, because only in that order can be gone on.
   */
  private async partOf(executor: Executor, search: RunSearch): Promise<Part> {
    const windows = this.windows.of(search);
    const byClaim = windows.find(({ isByClaim }) => isByClaim) ?? this.windows.newestClaims(search);
    if (windows.length === 1 && windows[0].isByClaim) {
      return boundedPart(byClaim);
    }
    const { window, size } = await this.windows.narrowest(executor, windows);
    return size < WINDOW_SIZE
      ? { rows: (conditions) => window.rows(conditions), end: () => 'null::uuid' }
      : boundedPart(byClaim);
  }
}

/** The part of the journal that one step searches. */
interface Part {
  /** The query for its runs. */
  rows(conditions: Conditions): string;
  /** The query for the id of its last run where there are runs beyond it, or null. */
  end(conditions: Conditions): string;
}

function boundedPart(window: Window): Part {
  return {
    rows: (conditions) => boundedRows(window, conditions),
    end: (conditions) =>
      `select r.id from (${boundedRows(window, conditions)}) r order by r.id desc offset ${WINDOW_SIZE - 1} limit 1`,
  };
}
