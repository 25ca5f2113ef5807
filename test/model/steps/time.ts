import { LAST_TICK, type State } from '../state.js';
import type { Step } from '../step.js';

/** The store's clock goes on: an occurrence becomes due, or what is due becomes late. */
export function timeSteps(state: State): Step[] {
  return state.tick === LAST_TICK
    ? []
    : [
        {
          text: () => `The clock ticks: ${state.tick + 1}`,
          fair: { kind: 'tick', node: 0 },
          state: { ...state, tick: state.tick + 1 },
        },
      ];
}
