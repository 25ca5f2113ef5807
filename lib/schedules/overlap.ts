import type { ConcurrencyPolicy } from './policies.js';

/**
 * What a fire does when it is claimed: run; be journaled as skipped; stay pending until the active run ends; become the
 * one fire that is queued; or have the active run aborted and stay pending until it has ended.
 */
export type OverlapDecision = 'run' | 'skip' | 'wait' | 'queue' | 'replace';

/** What is about to fire. */
export interface OverlappingFire {
  /** It repeats or makes up for work that is owed: a recovery, a retry, a backfill. It waits where others are skipped. */
  readonly isOwed: boolean;
  /** It is the one fire that was queued before. */
  readonly isQueued: boolean;
}

/** What the fire's schedule is doing. */
export interface ScheduleActivity {
  readonly hasActiveRun: boolean;
  readonly hasQueuedFire: boolean;
}

/** Applies the concurrency policy to one fire. */
export function decideOverlap(
  policy: ConcurrencyPolicy,
  fire: OverlappingFire,
  activity: ScheduleActivity,
): OverlapDecision {
  if (policy === 'allow' || !activity.hasActiveRun) {
    return 'run';
  }
  if (fire.isOwed || fire.isQueued) {
    return 'wait';
  }
  switch (policy) {
    case 'forbid':
      return 'skip';
    case 'queue':
      return activity.hasQueuedFire ? 'skip' : 'queue';
    case 'replace':
      return 'replace';
  }
}
