import type { RunCount } from '../api/answers.js';

export function totalOf({ counts }: RunCount): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}

/** What went wrong, and was not merely left out. */
export function failuresOf({ counts: { failed = 0, abandoned = 0 } }: RunCount): number {
  return failed + abandoned;
}
