import { everyWordOf } from '../every-word-of.js';

/**
 * Where a run comes from: `schedule` is a regular occurrence (caught up or not), `manual` a `triggerNow` or the repetition
 * of a finished run by an operator, `recovery` the repetition of a run that did not complete, `retry` that of one that
 * failed, and `backfill` an occurrence of a past range that an operator asked for.
 */
export type RunOrigin = 'schedule' | 'manual' | 'recovery' | 'retry' | 'backfill';

/** Every run origin. */
export const RUN_ORIGINS = everyWordOf<RunOrigin>({
  schedule: true,
  manual: true,
  recovery: true,
  retry: true,
  backfill: true,
});

/** Statuses of a run that is over. A terminal run never changes again. */
export type TerminalRunStatus = 'succeeded' | 'failed' | 'missed' | 'skipped' | 'abandoned' | 'canceled';

/**
 * Lifecycle of a run.
 *
 * - `running`: claimed by a node that executes it or is about to.
 * - `succeeded`: the handler returned.
 * - `failed`: the handler threw or exceeded its timeout, its params did not validate, an interceptor failed, or its
 *   schedule could not be read.
 * - `missed`: the misfire policy decided that these occurrences never run.
 * - `skipped`: suppressed by the concurrency policy `forbid` or `queue`.
 * - `abandoned`: its node stopped heartbeating.
 * - `canceled`: interrupted by graceful shutdown, by an operator, or by the next fire under `replace`.
 */
export type RunStatus = 'running' | TerminalRunStatus;

/** Every run status. */
export const RUN_STATUSES = everyWordOf<RunStatus>({
  running: true,
  succeeded: true,
  failed: true,
  missed: true,
  skipped: true,
  abandoned: true,
  canceled: true,
});

/**
 * Why a run ended as it did, in a word of a fixed vocabulary, for counting and filtering: it says nothing of params or
 * errors.
 */
export type RunReason =
  /** The handler threw. */
  | 'handler_error'
  /** The run exceeded its timeout. */
  | 'timeout'
  /** The params did not validate. */
  | 'params_invalid'
  /** A run interceptor threw, or did not let the handler run. */
  | 'interceptor_error'
  /** The schedule's row could not be evaluated. */
  | 'schedule_unreadable'
  /** A run of the same schedule was running. */
  | 'overlap'
  /** Another fire was waiting already. */
  | 'queue_full'
  /** The misfire policy passed over the occurrences. */
  | 'misfire'
  /** The occurrences were older than the backfill limit. */
  | 'backfill_limit'
  /** The timing changed while the occurrences were overdue. */
  | 'timing_changed'
  /** The node stopped heartbeating. */
  | 'heartbeat_lost'
  /** The node was shut down. */
  | 'shutdown'
  /** An operator canceled the run. */
  | 'operator'
  /** The next fire replaced the run. */
  | 'replaced';

/** Every run reason. */
export const RUN_REASONS = everyWordOf<RunReason>({
  handler_error: true,
  timeout: true,
  params_invalid: true,
  interceptor_error: true,
  schedule_unreadable: true,
  overlap: true,
  queue_full: true,
  misfire: true,
  backfill_limit: true,
  timing_changed: true,
  heartbeat_lost: true,
  shutdown: true,
  operator: true,
  replaced: true,
});

/** The journal record of a fire, or of occurrences that will never run. Outlives its schedule. */
export interface Run {
  /** A UUIDv7 made of the store's time: ids sort by claim. */
  readonly id: string;
  /** The schedule's id. Stays the same through renames. */
  readonly scheduleId: string;
  /** The schedule's name when the run was journaled. */
  readonly scheduleName: string;
  /** The job of the schedule when the run was journaled. */
  readonly jobName: string;
  /** Where the run comes from. */
  readonly origin: RunOrigin;
  /** The logical fire time in Unix ms; of a `missed` run the first occurrence it covers. Not unique. */
  readonly scheduledAtUnixMs: number;
  /**
   * The occurrence of the schedule that the run is for, in every attempt: with `scheduleId` the identity of the tick.
   * Absent on a manual fire, which is for none.
   */
  readonly occurrenceAtUnixMs?: number;
  /** When a node claimed the fire, in the store's time. */
  readonly claimedAtUnixMs: number;
  /** What became of it. Every status but `running` is final. */
  readonly status: RunStatus;
  /** Absent on runs that are running or succeeded. */
  readonly reason?: RunReason;
  /** The executing node; absent on runs that never executed. */
  readonly nodeId?: string;
  /** When the handler started, in Unix ms by the store's time; absent on runs that never executed. */
  readonly startedAtUnixMs?: number;
  /** When the outcome was decided, in Unix ms by the store's time; absent while the run is running. */
  readonly finishedAtUnixMs?: number;
  /** How long the handler ran, in ms by a monotonic clock; absent while it runs, and on runs that never executed. */
  readonly durationMs?: number;
  /** The executor's last sign of life, in Unix ms; absent on runs that never executed. */
  readonly heartbeatAtUnixMs?: number;
  /** The failure's message, at most 8,000 characters; only on runs that `failed`, or were `abandoned` or `canceled`. */
  readonly error?: string;
  /** How many occurrences a `missed` run covers, exactly; 0 on every other run. */
  readonly missedCount: number;
  /** 1 for the first execution of an occurrence or request, one more for each recovery and each retry. */
  readonly attempt: number;
  /** Equal in every attempt of one occurrence or request. */
  readonly idempotencyKey: string;
  /** The id of the run that this one repeats; absent where it repeats none. */
  readonly repeatsRunId?: string;
  /** The id of the actor who asked for the run to be canceled; absent where nobody did. */
  readonly canceledBy?: string;
  /** When the record was made, in Unix ms. */
  readonly createdAtUnixMs: number;
  /** Who asked for the fire: the id of the actor of a manual fire, else `system`. */
  readonly createdBy: string;
}

/** A run without what its handler said: for views that must hold no text from a payload. */
export type RunSummary = Omit<Run, 'error'>;
