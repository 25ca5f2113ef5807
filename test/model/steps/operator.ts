import { afterDeletion, replaceFire } from '../fires.js';
import { isLockFree } from '../nodes.js';
import { LAST_TICK, MANUAL_FIRE, OCCURRENCE_COUNT, type State } from '../state.js';
import type { Step } from '../step.js';
import type { World } from '../world.js';

/** What operators do. Each change waits for the lock of the schedule, and then is one transaction. */
export function operatorSteps(state: State, { operations }: World): Step[] {
  if (state.schedule === 'deleted' || !isLockFree(state)) {
    return [];
  }
  return [
    ...(operations.includes('pause') ? pauseSteps(state) : []),
    ...(operations.includes('manual fire') ? manualSteps(state) : []),
    ...(operations.includes('deletion') ? [deletion(state)] : []),
  ];
}

/** A schedule without a further occurrence cannot be resumed. */
function pauseSteps(state: State): Step[] {
  if (state.schedule === 'enabled') {
    return state.wasPaused
      ? []
      : [{ text: () => 'The schedule is paused', state: { ...state, schedule: 'paused', wasPaused: true } }];
  }
  return state.cursor <= OCCURRENCE_COUNT
    ? [{ text: () => 'The schedule is resumed', state: { ...state, schedule: 'enabled' } }]
    : [];
}

/** A schedule that is paused refuses a manual fire, but one that is to fire even so. */
function manualSteps(state: State): Step[] {
  if (state.fires[MANUAL_FIRE]?.kind !== 'none') {
    return [];
  }
  const evenIfPaused = state.schedule === 'paused';
  return [
    {
      text: () => `A manual fire is asked for${evenIfPaused ? ' although the schedule is paused' : ''}`,
      state: {
        ...state,
        fires: replaceFire(state.fires, MANUAL_FIRE, { kind: 'requested', evenIfPaused }),
      },
    },
  ];
}

/** Nothing depends on the occurrences of a schedule that is gone, nor on when it went. */
function deletion(state: State): Step {
  return {
    text: () => 'The schedule is deleted',
    state: {
      ...state,
      schedule: 'deleted',
      tick: LAST_TICK,
      cursor: 1,
      backlogUntil: 0,
      wasPaused: true,
      fires: state.fires.map(afterDeletion),
    },
  };
}
