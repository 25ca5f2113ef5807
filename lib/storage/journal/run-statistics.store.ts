import type { RunStatus, RunSummary } from '../../schedules/index.js';
import { Conditions } from '../statements/conditions.js';
import type { Executor } from '../connections/executor.js';
import { FIRST_ID, LAST_ID, smallestIdAt } from '../statements/identifiers.js';
import { WINDOW_SIZE } from '../statements/page.js';
import { RunHistoryWindows } from './run-history.windows.js';
import { SUMMARY_COLUMNS, toRun, type RunRow } from '../runs/run.rows.js';
import type { StoreSchema } from '../schema/store-schema.js';

/** What was claimed within an interval of time, by status. */
export interface RunCount {
  /** Inclusive. */
  readonly fromUnixMs: number;
  /** Exclusive. */
  readonly toUnixMs: number;
  /** How many runs have each status; a status that none has is absent. */
  readonly counts: { readonly [Status in RunStatus]?: number };
}

/** Counts of runs over time. */
export interface RunCounts {
  readonly intervals: readonly RunCount[];
  /** False where there were more runs than are counted: the oldest are not. */
  readonly isExact: boolean;
}

/** Of which runs to count: all, or those of one schedule. */
export interface CountedRuns {
  readonly scheduleId?: string;
}

interface CountRow {
  readonly bucket: number;
  readonly status: RunStatus;
  readonly runs: number | string;
}

/** Sums up the journal without reading all of it. */
export class RunStatisticsStore {
  private readonly windows: RunHistoryWindows;
  private readonly latestText: string;

  constructor(schema: StoreSchema) {
    this.windows = new RunHistoryWindows(schema);
    // Compared as pairs, the key and the id stay in `crn_run_schedule_idx`, however long ago a schedule ran last.
    this.latestText = `
      select ${SUMMARY_COLUMNS} from unnest($1::uuid[]) wanted (id) cross join lateral (
        select r.* from ${schema.run} r
        where (r.schedule_id, r.id) >= (wanted.id, '${FIRST_ID}'::uuid)
          and (r.schedule_id, r.id) <= (wanted.id, '${LAST_ID}'::uuid)
        order by r.schedule_id desc, r.id desc limit $2
      ) r order by r.id desc`;
  }

  /**
   * Counts the runs that were claimed between neighbouring bounds, which ascend. Ids sort by claim, so that the primary
   * key yields those of a time, and `crn_run_schedule_idx` those of a schedule; the newest WINDOW_SIZE are counted.
   */
  async count(
    executor: Executor,
    boundsUnixMs: readonly number[],
    { scheduleId }: CountedRuns,
  ): Promise<RunCounts> {
    const conditions = new Conditions();
    const bounds = conditions.parameter(boundsUnixMs);
    const ids = [smallestIdAt(boundsUnixMs.at(0) ?? 0), smallestIdAt(boundsUnixMs.at(-1) ?? 0)] as const;
    const window = this.windows.of({}, scheduleId === undefined ? undefined : [scheduleId], ids);
    const rows = await executor.query<CountRow>(
      `select width_bucket(r.claimed_at_unix_ms, ${bounds}::bigint[]) as bucket, r.status, count(*) as runs
       from (${window.rows(conditions)} limit ${WINDOW_SIZE}) r group by 1, 2`,
      conditions.values,
    );
    const total = rows.reduce((sum, { runs }) => sum + Number(runs), 0);
    return { intervals: intervalsOf(boundsUnixMs, rows), isExact: total < WINDOW_SIZE };
  }

  /** Finds the newest runs of each schedule, the newest first, without their errors. */
  async latest(executor: Executor, scheduleIds: readonly string[], limit: number): Promise<RunSummary[]> {
    const rows = await executor.query<RunRow>(this.latestText, [scheduleIds, limit]);
    return rows.map(toRun);
  }
}

function intervalsOf(boundsUnixMs: readonly number[], rows: readonly CountRow[]): readonly RunCount[] {
  return boundsUnixMs.slice(1).map((toUnixMs, index) => {
    const ofInterval = rows.filter(({ bucket }) => bucket === index + 1);
    return {
      fromUnixMs: boundsUnixMs[index] ?? toUnixMs,
      toUnixMs,
      counts: Object.fromEntries(ofInterval.map(({ status, runs }) => [status, Number(runs)])),
    };
  });
}
