import type { ConcurrencyPolicy } from './policies.js';
import type { RunOrigin } from './run.js';

/** What a fire does when it is claimed: run, be journaled as skipped, or stay pending until the active run ends. */
export type OverlapDecision = 'run' | 'skip' | 'wait';

/**
 * Applies the concurrency policy to one fire. A recovery repeats work that is owed, so that it waits where a regular
 * occurrence or a manual fire is skipped.
 */
export function decideOverlap(
  policy: ConcurrencyPolicy,
  origin: RunOrigin,
  hasActiveRun: boolean,
): OverlapDecision {
  if (policy === 'allow' || !hasActiveRun) {
    return 'run';
  }
  return origin === 'recovery' ? 'wait' : 'skip';
}
