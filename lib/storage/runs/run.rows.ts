import type { Run, RunOrigin, RunReason, RunStatus } from '../../schedules/index.js';
import { optional, toNumber, toOptionalNumber } from '../statements/column-values.js';

/** A row of `crn_run` as `RUN_COLUMNS` selects it. */
export interface RunRow {
  readonly id: string;
  readonly schedule_id: string;
  readonly schedule_name: string;
  readonly job_name: string;
  readonly origin: RunOrigin;
  readonly scheduled_at_unix_ms: number | string;
  readonly occurrence_at_unix_ms: number | string | null;
  readonly claimed_at_unix_ms: number | string;
  readonly status: RunStatus;
  readonly reason: RunReason | null;
  readonly node_id: string | null;
  readonly started_at_unix_ms: number | string | null;
  readonly finished_at_unix_ms: number | string | null;
  readonly duration_ms: number | string | null;
  readonly heartbeat_at_unix_ms: number | string | null;
  readonly error: string | null;
  readonly missed_count: number | string;
  readonly attempt: number;
  readonly idempotency_key: string;
  readonly repeats_run_id: string | null;
  readonly canceled_by: string | null;
  readonly created_at_unix_ms: number | string;
  readonly created_by: string;
}

/** Every column of a run `r` that is shown. */
export const RUN_COLUMNS = `r.id, r.schedule_id, r.schedule_name, r.job_name, r.origin, r.scheduled_at_unix_ms,
  r.occurrence_at_unix_ms, r.claimed_at_unix_ms, r.status, r.reason, r.node_id, r.started_at_unix_ms, r.finished_at_unix_ms, r.duration_ms,
  r.heartbeat_at_unix_ms, r.error, r.missed_count, r.attempt, r.idempotency_key, r.repeats_run_id,
  r.canceled_by, r.created_at_unix_ms, r.created_by`;

/** The same without the error, which may be long: what many runs are listed with. */
export const SUMMARY_COLUMNS = RUN_COLUMNS.replace('r.error', 'null as error');

/** Reads a run from its row. */
export function toRun(row: RunRow): Run {
  return {
    id: row.id,
    scheduleId: row.schedule_id,
    scheduleName: row.schedule_name,
    jobName: row.job_name,
    origin: row.origin,
    scheduledAtUnixMs: toNumber(row.scheduled_at_unix_ms),
    ...optional('occurrenceAtUnixMs', toOptionalNumber(row.occurrence_at_unix_ms)),
    claimedAtUnixMs: toNumber(row.claimed_at_unix_ms),
    status: row.status,
    ...optional('reason', row.reason),
    ...optional('nodeId', row.node_id),
    ...optional('startedAtUnixMs', toOptionalNumber(row.started_at_unix_ms)),
    ...optional('finishedAtUnixMs', toOptionalNumber(row.finished_at_unix_ms)),
    ...optional('durationMs', toOptionalNumber(row.duration_ms)),
    ...optional('heartbeatAtUnixMs', toOptionalNumber(row.heartbeat_at_unix_ms)),
    ...optional('error', row.error),
    missedCount: toNumber(row.missed_count),
    attempt: row.attempt,
    idempotencyKey: row.idempotency_key,
    ...optional('repeatsRunId', row.repeats_run_id),
    ...optional('canceledBy', row.canceled_by),
    createdAtUnixMs: toNumber(row.created_at_unix_ms),
    createdBy: row.created_by,
  };
}
