import { MANUAL_FIRE, type State } from './state.js';

/** What must hold in every state and at every step. */
export const INVARIANTS = {
  noDuplicate: 'no fire is executed by two live runs, and no occurrence has two records',
  pauseBlocks: 'nothing is claimed from a paused or deleted schedule, but what may fire while paused',
  cursorBehindJournal: 'every occurrence behind the cursor has a run or is covered by a missed record',
  abandonedIsFinal: 'nothing succeeds after it was abandoned',
  livingAreSpared: 'no run is declared dead whose process never stood still',
} as const;

/** @returns the invariant that the state breaks. */
export function brokenInvariant({ fires, cursor }: State): string | undefined {
  const occurrences = fires.slice(0, MANUAL_FIRE);
  if (occurrences.slice(0, cursor - 1).some((fire) => fire.kind === 'none')) {
    return INVARIANTS.cursorBehindJournal;
  }
  const hasTwoLiveRuns = fires.some(
    (fire) =>
      fire.kind === 'claimed' && fire.attempts.filter(({ status }) => status === 'running').length > 1,
  );
  return hasTwoLiveRuns ? INVARIANTS.noDuplicate : undefined;
}
