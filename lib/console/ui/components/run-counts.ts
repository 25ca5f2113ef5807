import type { RunStatus } from '../api/answers.js';

/** How many runs an interval of time had, by status. */
export interface RunCount {
  readonly fromUnixMs: number;
  readonly toUnixMs: number;
  readonly counts: { readonly [Status in RunStatus]?: number };
}

export interface RunCounts {
  readonly intervals: readonly RunCount[];
  readonly isExact: boolean;
}

export function totalOf({ counts }: RunCount): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}

/** What went wrong, and was not merely left out. */
export function failuresOf({ counts: { failed = 0, abandoned = 0 } }: RunCount): number {
  return failed + abandoned;
}
