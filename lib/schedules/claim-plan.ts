import { decideDue, isMisfired, positionAfter, type DueDecision } from './misfire.js';
import { decideOverlap } from './overlap.js';
import type { RequestOrigin } from './run.js';
import { occurrencesOfSchedule } from './schedule-timing.js';
import type { Schedule } from './schedule.js';

/** A persisted fire request that may be claimed now. */
export interface PendingRequest {
  readonly id: string;
  readonly origin: RequestOrigin;
  readonly scheduledAtUnixMs: number;
  readonly attempt: number;
  readonly recoveries: number;
  readonly recoversRunId?: string;
  readonly idempotencyKey: string;
  readonly createdBy: string;
}

/** One thing to decide under a schedule's lock: its due cursor, or a request. */
export type ClaimCandidate =
  | { readonly kind: 'occurrence'; readonly schedule: Schedule; readonly cursorUnixMs: number }
  | { readonly kind: 'request'; readonly schedule: Schedule; readonly request: PendingRequest };

/** What a claim does, candidate by candidate. */
export type ClaimStep =
  /** A regular occurrence, the missed ones before it, or both; the cursor advances. */
  | {
      readonly kind: 'advance';
      readonly schedule: Schedule;
      readonly decision: DueDecision;
      /** Whether the occurrence that fires runs, or is journaled as skipped. */
      readonly overlap: 'run' | 'skip';
    }
  | {
      readonly kind: 'request';
      readonly schedule: Schedule;
      readonly request: PendingRequest;
      readonly overlap: 'run' | 'skip';
    }
  /** The row cannot be evaluated. */
  | {
      readonly kind: 'park';
      readonly schedule: Schedule;
      readonly cursorUnixMs: number;
      readonly reason: string;
    };

/** What a plan is made from, all of it read under the locks of the candidates' schedules. */
export interface ClaimSituation {
  readonly candidates: readonly ClaimCandidate[];
  /** Schedules with a running run. */
  readonly activeScheduleIds: ReadonlySet<string>;
  /**
   * Of misfired schedules, the latest occurrence that the journal holds. It is behind the cursor, unless the schedule
   * was restored from an older backup than the journal.
   */
  readonly journaledThroughUnixMs: ReadonlyMap<string, number>;
  readonly nowUnixMs: number;
  readonly misfireThresholdMs: number;
  /** Free slots: the most runs that the plan may start. */
  readonly slots: number;
}

/**
 * Decides what every candidate does: ordered by logical time, a regular occurrence before a request of the same
 * instant, until the slots are used up. What is left over stays due.
 */
export function planClaim(situation: ClaimSituation): ClaimStep[] {
  const active = new Set(situation.activeScheduleIds);
  const steps: ClaimStep[] = [];
  let slots = situation.slots;
  for (const candidate of situation.candidates.toSorted(byLogicalTime)) {
    if (slots === 0) {
      break;
    }
    const step = decide(candidate, active.has(candidate.schedule.id), situation);
    if (step === undefined) {
      continue;
    }
    steps.push(step);
    if (startsRun(step)) {
      active.add(step.schedule.id);
      slots -= 1;
    }
  }
  return steps;
}

/** Whether the step claims a run that takes a slot. */
export function startsRun(step: ClaimStep): boolean {
  switch (step.kind) {
    case 'advance':
      return step.overlap === 'run' && step.decision.fireAtUnixMs !== undefined;
    case 'request':
      return step.overlap === 'run';
    case 'park':
      return false;
  }
}

function decide(
  candidate: ClaimCandidate,
  hasActiveRun: boolean,
  situation: ClaimSituation,
): ClaimStep | undefined {
  const { schedule } = candidate;
  if (candidate.kind === 'request') {
    const overlap = decideOverlap(schedule.concurrencyPolicy, candidate.request.origin, hasActiveRun);
    return overlap === 'wait'
      ? undefined
      : { kind: 'request', schedule, request: candidate.request, overlap };
  }
  const overlap = decideOverlap(schedule.concurrencyPolicy, 'schedule', hasActiveRun);
  try {
    return {
      kind: 'advance',
      schedule,
      decision: decideOccurrence(candidate, situation),
      overlap: overlap === 'run' ? 'run' : 'skip',
    };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    // The journal holds instants only.
    const cursorUnixMs = isInstant(candidate.cursorUnixMs) ? candidate.cursorUnixMs : situation.nowUnixMs;
    return { kind: 'park', schedule, cursorUnixMs, reason };
  }
}

function decideOccurrence(
  candidate: Extract<ClaimCandidate, { kind: 'occurrence' }>,
  situation: ClaimSituation,
): DueDecision {
  const { schedule, cursorUnixMs } = candidate;
  const { nowUnixMs } = situation;
  if (!isInstant(cursorUnixMs)) {
    throw new RangeError(`Its next fire, ${cursorUnixMs} in Unix ms, is beyond the instants that exist.`);
  }
  const occurrences = occurrencesOfSchedule(schedule);
  const due = {
    occurrences,
    nowUnixMs,
    misfireThresholdMs: situation.misfireThresholdMs,
    misfirePolicy: schedule.misfirePolicy,
  };
  // Both lie behind the cursor, unless it was moved back. The last fire outlives the retention of its run; the journal
  // outlives a schedule that was restored from an older backup.
  const firedThroughUnixMs = Math.max(
    schedule.lastFireAtUnixMs ?? -Infinity,
    situation.journaledThroughUnixMs.get(schedule.id) ?? -Infinity,
  );
  if (firedThroughUnixMs < cursorUnixMs) {
    return decideDue({ ...due, cursorUnixMs });
  }
  const position = positionAfter(occurrences, firedThroughUnixMs);
  const { nextFireAtUnixMs } = position;
  return nextFireAtUnixMs === undefined || nextFireAtUnixMs > nowUnixMs
    ? position
    : decideDue({ ...due, cursorUnixMs: nextFireAtUnixMs });
}

function isInstant(unixMs: number): boolean {
  return !Number.isNaN(new Date(unixMs).getTime());
}

/** Candidates whose due occurrence the misfire policy will decide about. */
export function misfiredScheduleIds(
  candidates: readonly ClaimCandidate[],
  nowUnixMs: number,
  misfireThresholdMs: number,
): string[] {
  return candidates
    .filter(
      (candidate) =>
        candidate.kind === 'occurrence' && isMisfired(candidate.cursorUnixMs, nowUnixMs, misfireThresholdMs),
    )
    .map((candidate) => candidate.schedule.id);
}

function byLogicalTime(left: ClaimCandidate, right: ClaimCandidate): number {
  return (
    logicalTime(left) - logicalTime(right) ||
    Number(left.kind === 'request') - Number(right.kind === 'request')
  );
}

function logicalTime(candidate: ClaimCandidate): number {
  return candidate.kind === 'occurrence' ? candidate.cursorUnixMs : candidate.request.scheduledAtUnixMs;
}
