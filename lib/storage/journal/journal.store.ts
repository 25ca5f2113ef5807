import type { JsonValue, Run, RunReason, RunStatus } from '../../schedules/index.js';
import type { Executor } from '../connections/executor.js';
import { RUN_COLUMNS, toRun, type RunRow } from '../runs/run.rows.js';
import type { StoreSchema } from '../schema/store-schema.js';

/** Which runs to read; what is absent does not restrict. */
export interface RunSelection {
  readonly scheduleName?: string;
  readonly jobName?: string;
  readonly statuses?: readonly RunStatus[];
  readonly reasons?: readonly RunReason[];
  /** Bounds of the logical fire time, both inclusive. */
  readonly sinceUnixMs?: number;
  readonly untilUnixMs?: number;
  /** Only runs before this one, in the order of the list. */
  readonly beforeId?: string;
  readonly limit: number;
}

/** A run, and the params of its own where it has any. */
export interface JournaledRunDetail {
  readonly run: Run;
  readonly params: JsonValue | undefined;
}

/** Reads the journal. */
export class JournalStore {
  private readonly findText: string;
  private readonly listText: string;

  constructor(schema: StoreSchema) {
    this.findText = `
      select ${RUN_COLUMNS}, r.params::text as params_json from ${schema.run} r where r.id = $1`;
    // By name: the runs of the schedule that has the name now, and of those that had it. Ids sort by time of claim.
    this.listText = `
      select ${RUN_COLUMNS} from ${schema.run} r
      where ($1::text is null or r.schedule_id in (select n.schedule_id from ${schema.scheduleName} n where n.name = $1))
        and ($2::text is null or r.job_name = $2)
        and ($3::text[] is null or r.status = any($3))
        and ($8::text[] is null or r.reason = any($8))
        and ($4::bigint is null or r.scheduled_at_unix_ms >= $4)
        and ($5::bigint is null or r.scheduled_at_unix_ms <= $5)
        and ($7::uuid is null or r.id < $7)
      order by r.id desc limit $6`;
  }

  async find(executor: Executor, runId: string): Promise<JournaledRunDetail | undefined> {
    const [row] = await executor.query<RunRow & { readonly params_json: string | null }>(this.findText, [
      runId,
    ]);
    return row === undefined
      ? undefined
      : {
          run: toRun(row),
          params: row.params_json === null ? undefined : (JSON.parse(row.params_json) as JsonValue),
        };
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
      selection.beforeId ?? null,
      selection.reasons ?? null,
    ]);
    return rows.map(toRun);
  }
}
