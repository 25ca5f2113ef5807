import type { RunSummary } from '../schedules/index.js';
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
    const window = await this.windowOf(executor, search);
    const conditions = new Conditions();
    const rows = await executor.query<RunRow>(
      `select ${SUMMARY_COLUMNS} from (${window.rows(conditions)}) r
       where ${filtersOf(search, conditions, this.schema)}
       order by r.id desc limit ${conditions.parameter(limit + 1)}`,
      conditions.values,
    );
    const items = rows.slice(0, limit).map(toRun);
    const nextBeforeId = rows.length > limit ? items.at(-1)?.id : await this.endOf(executor, window);
    return { items, ...(nextBeforeId === undefined ? {} : { nextBeforeId }) };
  }

  /**
   * The window with the fewest runs where those are all there are. Where there are more, a window in the order of the
   * claims, because only that order can be gone on in.
   */
  private async windowOf(executor: Executor, search: RunSearch): Promise<Window> {
    const windows = this.windows.of(search);
    const byClaim = windows.find(({ isByClaim }) => isByClaim) ?? this.windows.newestClaims(search);
    const bounded = { isByClaim: true, rows: (conditions: Conditions) => boundedRows(byClaim, conditions) };
    if (windows.length === 1 && windows[0].isByClaim) {
      return bounded;
    }
    const { window, size } = await this.windows.narrowest(executor, windows);
    return size < WINDOW_SIZE ? window : bounded;
  }

  /** The last run of a window that is full. */
  private async endOf(executor: Executor, window: Window): Promise<string | undefined> {
    if (!window.isByClaim) {
      return undefined;
    }
    const conditions = new Conditions();
    const [last] = await executor.query<{ id: string }>(
      `select r.id from (${window.rows(conditions)}) r order by r.id desc offset ${WINDOW_SIZE - 1} limit 1`,
      conditions.values,
    );
    return last?.id;
  }
}
