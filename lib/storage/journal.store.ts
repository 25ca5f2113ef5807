import type { Run, RunStatus } from '../schedules/index.js';
import type { Executor } from './executor.js';
import { RUN_COLUMNS, toRun, type RunRow } from './run.rows.js';
import type { StoreSchema } from './store-schema.js';

/** Which runs to read; what is absent does not restrict. */
export interface RunSelection {
  readonly scheduleName?: string;
  readonly jobName?: string;
  readonly statuses?: readonly RunStatus[];
  /** Bounds of the logical fire time, both inclusive. */
  readonly sinceUnixMs?: number;
  readonly untilUnixMs?: number;
  readonly limit: number;
}

/** Reads the journal. */
export class JournalStore {
  private readonly listText: string;

  constructor(schema: StoreSchema) {
    // By name: the runs of the schedule that has the name now, and of those that had it. Ids sort by time of claim.
    this.listText = `
      select ${RUN_COLUMNS} from ${schema.run} r
      where ($1::text is null or r.schedule_id in (select n.schedule_id from ${schema.scheduleName} n where n.name = $1))
        and ($2::text is null or r.job_name = $2)
        and ($3::text[] is null or r.status = any($3))
        and ($4::bigint is null or r.scheduled_at_unix_ms >= $4)
        and ($5::bigint is null or r.scheduled_at_unix_ms <= $5)
      order by r.id desc limit $6`;
  }

  /** Lists newest claim first. */
  async list(executor: Executor, selection: RunSelection): Promise<Run[]> {
    const rows = await executor.query<RunRow>(this.listText, [
      selection.scheduleName ?? null,
      selection.jobName ?? null,
      selection.statuses ?? null,
      selection.sinceUnixMs ?? null,
      selection.untilUnixMs ?? null,
      selection.limit,
    ]);
    return rows.map(toRun);
  }
}
