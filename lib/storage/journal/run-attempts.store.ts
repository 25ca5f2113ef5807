import type { RunSummary } from '../../schedules/index.js';
import type { Executor } from '../connections/executor.js';
import { SUMMARY_COLUMNS, toRun, type RunRow } from '../runs/run.rows.js';
import type { StoreSchema } from '../schema/store-schema.js';

/** Most runs that are found before a run, and after it. */
const MAX_STEPS = 100;

/** Follows the runs that repeat each other. */
export class RunAttemptsStore {
  private readonly text: string;

  constructor(schema: StoreSchema) {
    // Back by the primary key, and forth by `crn_run_repeats_key`, one row at a time.
    this.text = `
      with recursive earlier (id, repeats_run_id, steps) as (
        select r.id, r.repeats_run_id, 0 from ${schema.run} r where r.id = $1::uuid
        union all
        select r.id, r.repeats_run_id, earlier.steps + 1 from earlier
        join ${schema.run} r on r.id = earlier.repeats_run_id where earlier.steps < ${MAX_STEPS}
      ), later (id, steps) as (
        select r.id, 0 from ${schema.run} r where r.id = $1::uuid
        union all
        select r.id, later.steps + 1 from later
        join ${schema.run} r on r.repeats_run_id = later.id where later.steps < ${MAX_STEPS}
      )
      select ${SUMMARY_COLUMNS} from ${schema.run} r
      where r.id in (select id from earlier union select id from later) order by r.id`;
  }

  /**
   * Finds the run, those that it repeats, and those that repeat it, the oldest first and without their errors. Empty
   * where there is no such run.
   */
  async find(executor: Executor, runId: string): Promise<RunSummary[]> {
    const rows = await executor.query<RunRow>(this.text, [runId]);
    return rows.map(toRun);
  }
}
