/**
 * Where a run comes from: `schedule` is a regular occurrence (caught up or not), `manual` a `triggerNow`, `recovery`
 * the repetition of a run that did not complete.
 */
export type RunOrigin = 'schedule' | 'manual' | 'recovery';

/** Origins that a persisted fire request can have: every one but the regular occurrence. */
export type RequestOrigin = Exclude<RunOrigin, 'schedule'>;

/** Statuses of a run that is over. A terminal run never changes again. */
export type TerminalRunStatus = 'succeeded' | 'failed' | 'missed' | 'skipped' | 'abandoned' | 'canceled';

/**
 * Lifecycle of a run.
 *
 * - `running`: claimed by a node that executes it or is about to.
 * - `succeeded`: the handler returned.
 * - `failed`: the handler threw, its params did not validate, or it exceeded its timeout.
 * - `missed`: the misfire policy decided that these occurrences never run.
 * - `skipped`: suppressed by the concurrency policy `forbid`.
 * - `abandoned`: its node stopped heartbeating.
 * - `canceled`: interrupted by graceful shutdown.
 */
export type RunStatus = 'running' | TerminalRunStatus;

/** Every run status. */
export const RUN_STATUSES: readonly RunStatus[] = [
  'running',
  'succeeded',
  'failed',
  'missed',
  'skipped',
  'abandoned',
  'canceled',
];

/** The journal record of a fire, or of occurrences that will never run. Outlives its schedule. */
export interface Run {
  readonly id: string;
  readonly scheduleId: string;
  /** The schedule's name when the run was journaled. */
  readonly scheduleName: string;
  readonly jobName: string;
  readonly origin: RunOrigin;
  /** The logical fire time in Unix ms; of a `missed` run the first occurrence it covers. Not unique. */
  readonly scheduledAtUnixMs: number;
  /** When a node claimed the fire, in the store's time. */
  readonly claimedAtUnixMs: number;
  readonly status: RunStatus;
  /** The executing node; absent on runs that never executed. */
  readonly nodeId?: string;
  readonly startedAtUnixMs?: number;
  readonly finishedAtUnixMs?: number;
  /** How long the handler ran, by a monotonic clock. */
  readonly durationMs?: number;
  /** The executor's last sign of life. */
  readonly heartbeatAtUnixMs?: number;
  /** Failure message, truncated; absent on success. */
  readonly error?: string;
  /** How many occurrences a `missed` run covers, exactly; 0 on every other run. */
  readonly missedCount: number;
  /** 1 for the first execution of an occurrence or request, one more for each recovery. */
  readonly attempt: number;
  /** Equal in every attempt of one occurrence or request. */
  readonly idempotencyKey: string;
  readonly createdAtUnixMs: number;
  /** Who asked for the fire: the actor of a manual fire, else `system`. */
  readonly createdBy: string;
}
