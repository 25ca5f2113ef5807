import type { JsonValue, Run } from '../schedules/index.js';
import type { Executor } from './executor.js';
import { nullable, required, RowArrays } from './row-arrays.js';
import type { StoreSchema } from './store-schema.js';

/** A run to journal, with what only the store keeps of it. */
export interface NewRun extends Run {
  /** How many crashes of the same occurrence led to this run. */
  readonly recoveries: number;
  /** The key under which a manual fire was asked for. */
  readonly requestKey?: string;
  /** Params of this fire alone, kept for its repetitions. */
  readonly params?: JsonValue;
  /** The span that caused the run, until it is over; then its own. A `traceparent`, absent where nobody traces. */
  readonly traceParent?: string;
}

const RUNS = new RowArrays<NewRun>([
  required('id', 'uuid', (run) => run.id),
  required('schedule_id', 'uuid', (run) => run.scheduleId),
  required('schedule_name', 'text', (run) => run.scheduleName),
  required('job_name', 'text', (run) => run.jobName),
  required('origin', 'text', (run) => run.origin),
  required('scheduled_at_unix_ms', 'bigint', (run) => run.scheduledAtUnixMs),
  nullable('occurrence_at_unix_ms', 'bigint', (run) => run.occurrenceAtUnixMs),
  required('claimed_at_unix_ms', 'bigint', (run) => run.claimedAtUnixMs),
  required('status', 'text', (run) => run.status),
  nullable('reason', 'text', (run) => run.reason),
  nullable('node_id', 'text', (run) => run.nodeId),
  nullable('heartbeat_at_unix_ms', 'bigint', (run) => run.heartbeatAtUnixMs),
  nullable('error', 'text', (run) => run.error),
  required('missed_count', 'bigint', (run) => run.missedCount),
  required('attempt', 'integer', (run) => run.attempt),
  required('recoveries', 'integer', (run) => run.recoveries),
  nullable('repeats_run_id', 'uuid', (run) => run.repeatsRunId),
  required('idempotency_key', 'text', (run) => run.idempotencyKey),
  nullable('request_key', 'text', (run) => run.requestKey),
  nullable('params', 'json', (run) => (run.params === undefined ? undefined : JSON.stringify(run.params))),
  nullable('trace_parent', 'text', (run) => run.traceParent),
  required('created_at_unix_ms', 'bigint', (run) => run.createdAtUnixMs),
  required('created_by', 'text', (run) => run.createdBy),
]);

/**
 * The statement that journals runs, given as `insertRunsValues` from parameter `firstParameter` on. A run whose
 * occurrence (or repeated run, or request key) is in the journal already is left out and not returned: the unique indexes
 * crn_run_occurrence_key, crn_run_repeats_key and crn_run_request_key are the fence that holds whatever happened to cursors and requests.
 */
export function insertRunsSql(schema: StoreSchema, firstParameter: number): string {
  return `
    insert into ${schema.run} (${RUNS.names.join(', ')})
    ${RUNS.selectSql(firstParameter)}
    on conflict do nothing
    returning id, fence`;
}

/** A run that the journal took. */
export interface InsertedRun {
  readonly id: string;
  /** Numbered when it was inserted, which is under the lock of its schedule: each run of it has more than the one before. */
  readonly fence: number | string;
}

/** The parameters of `insertRunsSql`. */
export function insertRunsValues(runs: readonly NewRun[]): readonly unknown[] {
  return RUNS.values(runs);
}

/** Journals runs; those that the fence refused are not among the returned ids. */
export async function insertRuns(
  executor: Executor,
  schema: StoreSchema,
  runs: readonly NewRun[],
): Promise<ReadonlySet<string>> {
  if (runs.length === 0) {
    return new Set();
  }
  const rows = await executor.query<InsertedRun>(insertRunsSql(schema, 1), insertRunsValues(runs));
  return new Set(rows.map((row) => row.id));
}
