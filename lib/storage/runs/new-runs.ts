import type { JsonValue, Run } from '../../schedules/index.js';
import type { Executor } from '../connections/executor.js';
import { RowArrays, type RowsForm } from '../statements/row-arrays.js';
import type { StoreSchema } from '../schema/store-schema.js';

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

/** Runs as a statement takes them. */
export const RUNS = new RowArrays<NewRun>([
  { name: 'id', type: 'uuid', valueOf: (run) => run.id },
  { name: 'schedule_id', type: 'uuid', valueOf: (run) => run.scheduleId },
  { name: 'schedule_name', type: 'text', valueOf: (run) => run.scheduleName },
  { name: 'job_name', type: 'text', valueOf: (run) => run.jobName },
  { name: 'origin', type: 'text', valueOf: (run) => run.origin, isMostlyShared: true },
  { name: 'scheduled_at_unix_ms', type: 'bigint', valueOf: (run) => run.scheduledAtUnixMs },
  { name: 'occurrence_at_unix_ms', type: 'bigint', valueOf: (run) => run.occurrenceAtUnixMs },
  { name: 'claimed_at_unix_ms', type: 'bigint', valueOf: (run) => run.claimedAtUnixMs, isMostlyShared: true },
  { name: 'status', type: 'text', valueOf: (run) => run.status, isMostlyShared: true },
  { name: 'reason', type: 'text', valueOf: (run) => run.reason, isMostlyShared: true },
  { name: 'node_id', type: 'text', valueOf: (run) => run.nodeId, isMostlyShared: true },
  {
    name: 'heartbeat_at_unix_ms',
    type: 'bigint',
    valueOf: (run) => run.heartbeatAtUnixMs,
    isMostlyShared: true,
  },
  { name: 'error', type: 'text', valueOf: (run) => run.error, isMostlyShared: true },
  { name: 'missed_count', type: 'bigint', valueOf: (run) => run.missedCount, isMostlyShared: true },
  { name: 'attempt', type: 'integer', valueOf: (run) => run.attempt, isMostlyShared: true },
  { name: 'recoveries', type: 'integer', valueOf: (run) => run.recoveries, isMostlyShared: true },
  { name: 'repeats_run_id', type: 'uuid', valueOf: (run) => run.repeatsRunId, isMostlyShared: true },
  { name: 'idempotency_key', type: 'text', valueOf: (run) => run.idempotencyKey },
  { name: 'request_key', type: 'text', valueOf: (run) => run.requestKey, isMostlyShared: true },
  {
    name: 'params',
    type: 'json',
    valueOf: (run) => (run.params === undefined ? undefined : JSON.stringify(run.params)),
    isMostlyShared: true,
  },
  // Only what was asked for has a cause that may be traced.
  { name: 'trace_parent', type: 'text', valueOf: (run) => run.traceParent, isMostlyShared: true },
  { name: 'created_at_unix_ms', type: 'bigint', valueOf: (run) => run.createdAtUnixMs, isMostlyShared: true },
  { name: 'created_by', type: 'text', valueOf: (run) => run.createdBy, isMostlyShared: true },
]);

/**
 * The statement that journals runs, given as values of `RUNS` from parameter `firstParameter` on. A run whose
 * occurrence (or repeated run, or request key) is in the journal already is left out and not returned: the unique indexes
 * crn_run_occurrence_key, crn_run_repeats_key and crn_run_request_key are the fence that holds whatever happened to cursors and requests.
 */
export function insertRunsSql(schema: StoreSchema, form: RowsForm, firstParameter: number): string {
  return `
    insert into ${schema.run} (${RUNS.names.join(', ')})
    ${RUNS.selectSql(form, firstParameter)}
    on conflict do nothing
    returning id, fence`;
}

/** A run that the journal took. */
export interface InsertedRun {
  readonly id: string;
  /** Numbered when it was inserted, which is under the lock of its schedule: each run of it has more than the one before. */
  readonly fence: number | string;
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
  const form = RUNS.formOf(runs);
  const rows = await executor.query<InsertedRun>(insertRunsSql(schema, form, 1), RUNS.values(form, runs));
  return new Set(rows.map((row) => row.id));
}
