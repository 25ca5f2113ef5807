import { messageOf } from '../error-reading.js';
import {
  inClaimOrder,
  isBacklog,
  type ClaimCandidate,
  type Lateness,
  type OccurrenceCandidate,
  type PendingBackfill,
  type PendingRequest,
} from './claim-candidates.js';
import { decideDue, positionAfter, type DueDecision } from './misfire.js';
import { decideOverlap, type OverlapDecision } from './overlap.js';
import { occurrencesOfSchedule } from './schedule-timing.js';
import type { FiringSchedule } from './schedule.js';

/** What becomes of a fire that is dealt with now: it runs, is journaled as skipped, or is queued. */
export type FireDecision = Extract<OverlapDecision, 'run' | 'skip' | 'queue'>;

/** What a claim does, candidate by candidate. */
export type ClaimStep =
  /** A regular occurrence, the missed ones before it, or both; the cursor advances. */
  | {
      readonly kind: 'advance';
      readonly schedule: FiringSchedule;
      readonly due: DueDecision;
      readonly fire: FireDecision;
    }
  | {
      readonly kind: 'request';
      readonly schedule: FiringSchedule;
      readonly request: PendingRequest;
      readonly fire: FireDecision;
    }
  /** One occurrence of a past range runs; absent `nextUnixMs` it was the last. */
  | {
      readonly kind: 'backfill';
      readonly schedule: FiringSchedule;
      readonly backfill: PendingBackfill;
      readonly nextUnixMs?: number;
    }
  /** The active runs are asked to end; what replaces them stays due until they have. */
  | { readonly kind: 'replace'; readonly schedule: FiringSchedule }
  /** The row cannot be evaluated. */
  | {
      readonly kind: 'park';
      readonly schedule: FiringSchedule;
      readonly cursorUnixMs: number;
      readonly reason: string;
    };

/** What a plan is made from, all of it read under the locks of the candidates' schedules. */
export interface ClaimSituation extends Lateness {
  readonly candidates: readonly ClaimCandidate[];
  /** Schedules with a running run. */
  readonly activeScheduleIds: ReadonlySet<string>;
  /** Schedules with a queued fire. */
  readonly queuedScheduleIds: ReadonlySet<string>;
  /**
   * Of misfired schedules, the latest occurrence that the journal holds. It is behind the cursor, unless the schedule
   * was restored from an older backup than the journal.
   */
  readonly journaledThroughUnixMs: ReadonlyMap<string, number>;
  /** Free slots: the most runs that the plan may start. */
  readonly slots: number;
}

/** Decides what every candidate does, until the slots are used up. What is left over stays due. */
export function planClaim(situation: ClaimSituation): ClaimStep[] {
  return new ClaimPlanner(situation).plan();
}

/** Whether the step claims a run that takes a slot. */
export function startsRun(step: ClaimStep): boolean {
  switch (step.kind) {
    case 'advance':
      return step.fire === 'run' && step.due.fireAtUnixMs !== undefined;
    case 'request':
      return step.fire === 'run';
    case 'backfill':
      return true;
    case 'replace':
    case 'park':
      return false;
  }
}

/** Plans one claim, and keeps in mind what it has planned for each schedule so far. */
class ClaimPlanner {
  private readonly startingIds = new Set<string>();
  private startedCount = 0;
  private readonly queuedIds: Set<string>;

  constructor(private readonly situation: ClaimSituation) {
    this.queuedIds = new Set(situation.queuedScheduleIds);
  }

  plan(): ClaimStep[] {
    const steps: ClaimStep[] = [];
    for (const candidate of inClaimOrder(this.situation.candidates, this.situation)) {
      if (this.startedCount >= this.situation.slots) {
        break;
      }
      const step = this.decide(candidate);
      if (step !== undefined) {
        steps.push(step);
        this.keepInMind(step);
      }
    }
    return steps;
  }

  private decide(candidate: ClaimCandidate): ClaimStep | undefined {
    const { schedule } = candidate;
    const overlap = this.overlapOf(candidate);
    if (overlap === 'wait') {
      return undefined;
    }
    if (overlap === 'replace') {
      // A run that this very plan starts cannot be replaced yet: the next claim does.
      return this.situation.activeScheduleIds.has(schedule.id) ? { kind: 'replace', schedule } : undefined;
    }
    switch (candidate.kind) {
      case 'request':
        return { kind: 'request', schedule, request: candidate.request, fire: overlap };
      case 'backfill':
        return this.evaluate(candidate, candidate.backfill.cursorUnixMs, () => nextOfBackfill(candidate));
      case 'occurrence':
        return this.evaluate(candidate, candidate.cursorUnixMs, () => ({
          kind: 'advance',
          schedule,
          due: this.decideOccurrence(candidate),
          fire: overlap,
        }));
    }
  }

  private overlapOf(candidate: ClaimCandidate): OverlapDecision {
    const { schedule } = candidate;
    const request = candidate.kind === 'request' ? candidate.request : undefined;
    return decideOverlap(
      schedule.concurrencyPolicy,
      {
        isOwed:
          request?.origin === 'recovery' ||
          request?.origin === 'retry' ||
          isBacklog(candidate, this.situation),
        isQueued: request?.isQueued ?? false,
      },
      {
        hasActiveRun: this.situation.activeScheduleIds.has(schedule.id) || this.startingIds.has(schedule.id),
        hasQueuedFire: this.queuedIds.has(schedule.id),
      },
    );
  }

  /** A row that cannot be evaluated is parked, and stops nothing else. */
  private evaluate(
    { schedule }: ClaimCandidate,
    cursorUnixMs: number,
    decideStep: () => ClaimStep,
  ): ClaimStep {
    try {
      if (!isInstant(cursorUnixMs)) {
        throw new RangeError(`Its next fire, ${cursorUnixMs} in Unix ms, is beyond the instants that exist.`);
      }
      return decideStep();
    } catch (error) {
      const reason = messageOf(error);
      // The journal holds instants only.
      const journaledAt = isInstant(cursorUnixMs) ? cursorUnixMs : this.situation.nowUnixMs;
      return { kind: 'park', schedule, cursorUnixMs: journaledAt, reason };
    }
  }

  private keepInMind(step: ClaimStep): void {
    if (startsRun(step)) {
      this.startingIds.add(step.schedule.id);
      this.startedCount += 1;
    }
    if ('fire' in step && step.fire === 'queue') {
      this.queuedIds.add(step.schedule.id);
    }
  }

  private decideOccurrence(candidate: OccurrenceCandidate): DueDecision {
    const { schedule, cursorUnixMs, backfillUntilUnixMs } = candidate;
    const { nowUnixMs, misfireThresholdMs, journaledThroughUnixMs } = this.situation;
    const occurrences = occurrencesOfSchedule(schedule);
    const due = {
      occurrences,
      nowUnixMs,
      misfireThresholdMs,
      misfirePolicy: schedule.misfirePolicy,
      backfillLimit: schedule.backfillLimit,
      backfillUntilUnixMs,
    };
    // Both lie behind the cursor, unless it was moved back. The last fire outlives the retention of its run; the journal
    // outlives a schedule that was restored from an older backup.
    const firedThroughUnixMs = Math.max(
      schedule.lastFireAtUnixMs ?? -Infinity,
      journaledThroughUnixMs.get(schedule.id) ?? -Infinity,
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
}

function isInstant(unixMs: number): boolean {
  return !Number.isNaN(new Date(unixMs).getTime());
}

function nextOfBackfill({ schedule, backfill }: Extract<ClaimCandidate, { kind: 'backfill' }>): ClaimStep {
  const next = occurrencesOfSchedule(schedule).next(backfill.cursorUnixMs);
  return {
    kind: 'backfill',
    schedule,
    backfill,
    ...(next === undefined || next > backfill.toUnixMs ? {} : { nextUnixMs: next }),
  };
}
