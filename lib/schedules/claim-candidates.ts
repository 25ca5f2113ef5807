import { isMisfired } from './misfire.js';
import type { RunOrigin } from './run.js';
import type { FiringSchedule, JsonValue } from './schedule.js';

/** A persisted fire request that may be claimed now. */
export interface PendingRequest {
  readonly id: string;
  /** A regular occurrence is requested where it was queued. */
  readonly origin: RunOrigin;
  readonly scheduledAtUnixMs: number;
  readonly occurrenceAtUnixMs?: number;
  readonly attempt: number;
  readonly recoveries: number;
  readonly repeatsRunId?: string;
  readonly idempotencyKey: string;
  /** The key under which a manual fire was asked for once. */
  readonly requestKey?: string;
  /** Params for this fire alone; absent where the schedule's apply. */
  readonly params?: JsonValue;
  /** The span that the fire is asked for by. */
  readonly traceParent?: string;
  /** It waits as the one fire that the policy `queue` lets wait. */
  readonly isQueued: boolean;
  readonly createdBy: string;
}

/** A past range whose occurrences an operator asked for, as far as it has come. */
export interface PendingBackfill {
  readonly id: string;
  /** The next occurrence of the range. */
  readonly cursorUnixMs: number;
  readonly toUnixMs: number;
  readonly createdBy: string;
}

/** One thing to decide under a schedule's lock: its due cursor, a request, or the next occurrence of a past range. */
export type ClaimCandidate =
  | {
      readonly kind: 'occurrence';
      readonly schedule: FiringSchedule;
      readonly cursorUnixMs: number;
      readonly backfillUntilUnixMs?: number;
    }
  | { readonly kind: 'request'; readonly schedule: FiringSchedule; readonly request: PendingRequest }
  | { readonly kind: 'backfill'; readonly schedule: FiringSchedule; readonly backfill: PendingBackfill };

/** A candidate that is a regular occurrence. */
export type OccurrenceCandidate = Extract<ClaimCandidate, { kind: 'occurrence' }>;

/** When late counts as misfired, at the store's now. */
export interface Lateness {
  readonly nowUnixMs: number;
  readonly misfireThresholdMs: number;
}

/** Whether the misfire policy will decide about the candidate. */
export function isMisfiredCandidate(
  candidate: ClaimCandidate,
  { nowUnixMs, misfireThresholdMs }: Lateness,
): candidate is OccurrenceCandidate {
  return candidate.kind === 'occurrence' && isMisfired(candidate.cursorUnixMs, nowUnixMs, misfireThresholdMs);
}

/** Whether the candidate is part of a backlog, which is worked off in order and behind everything else. */
export function isBacklog(candidate: ClaimCandidate, lateness: Lateness): boolean {
  switch (candidate.kind) {
    case 'backfill':
      return true;
    case 'request':
      return false;
    case 'occurrence':
      return (
        candidate.schedule.misfirePolicy === 'backfill' &&
        (isMisfired(candidate.cursorUnixMs, lateness.nowUnixMs, lateness.misfireThresholdMs) ||
          candidate.cursorUnixMs <= (candidate.backfillUntilUnixMs ?? -Infinity))
      );
  }
}

/**
 * The order in which candidates get slots: backlogs last, so that they delay nobody; then by logical time; on a tie the
 * regular occurrence first.
 */
export function inClaimOrder(candidates: readonly ClaimCandidate[], lateness: Lateness): ClaimCandidate[] {
  return candidates.toSorted(
    (left, right) =>
      Number(isBacklog(left, lateness)) - Number(isBacklog(right, lateness)) ||
      logicalTime(left) - logicalTime(right) ||
      Number(left.kind !== 'occurrence') - Number(right.kind !== 'occurrence'),
  );
}

function logicalTime(candidate: ClaimCandidate): number {
  switch (candidate.kind) {
    case 'occurrence':
      return candidate.cursorUnixMs;
    case 'request':
      return candidate.request.scheduledAtUnixMs;
    case 'backfill':
      return candidate.backfill.cursorUnixMs;
  }
}
