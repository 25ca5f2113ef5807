import { isRecoverable, isRunning, latestAttempt } from './fires.js';
import { MANUAL_FIRE, NO_FIRE, type State } from './state.js';

/** What the engine owes. */
export const OBLIGATIONS = {
  refire: 'an abandoned recoverable run is fired again, or has used up maxRecoveries',
  record: 'an occurrence that is due is fired, skipped, or covered by a missed record',
  manual: 'a manual fire that was accepted is fired or skipped',
  end: 'a run that is running ends or is abandoned',
} as const;

/** What may be owed for a while, and never for ever. */
export interface Obligation {
  readonly text: string;
  readonly isOwed: (state: State) => boolean;
}

/**
 * While a schedule is paused its fires wait, and while no process runs or will run again everything does: then nothing is
 * owed. Each fire is an obligation of its own: to owe now one and then another is no breach.
 */
export const OWED: readonly Obligation[] = [
  ...Array.from({ length: MANUAL_FIRE + 1 }, (_, index) => ({
    text: OBLIGATIONS.refire,
    isOwed: (state: State): boolean => {
      const fire = state.fires[index] ?? NO_FIRE;
      return (
        isServed(state) &&
        state.schedule === 'enabled' &&
        latestAttempt(fire)?.status === 'abandoned' &&
        isRecoverable(fire)
      );
    },
  })),
  ...Array.from({ length: MANUAL_FIRE }, (_, index) => ({
    text: OBLIGATIONS.record,
    isOwed: (state: State): boolean =>
      isServed(state) &&
      state.schedule === 'enabled' &&
      index < state.tick &&
      state.fires[index]?.kind === 'none',
  })),
  {
    text: OBLIGATIONS.manual,
    isOwed: (state) =>
      isServed(state) && state.schedule === 'enabled' && state.fires[MANUAL_FIRE]?.kind === 'requested',
  },
  ...Array.from({ length: MANUAL_FIRE + 1 }, (_, index) => ({
    text: OBLIGATIONS.end,
    isOwed: (state: State): boolean => isServed(state) && isRunning(state.fires[index] ?? NO_FIRE),
  })),
];

/** Whether some process runs, or will again: one that crashed is restarted, one that is frozen need not go on. */
function isServed({ nodes }: State): boolean {
  return nodes.some(({ health }) => health !== 'frozen');
}
