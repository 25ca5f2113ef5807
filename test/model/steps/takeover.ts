import { abandoned, isRecoverable, latestAttempt, requested } from '../fires.js';
import { INVARIANTS } from '../invariants.js';
import { isAlive, isLockFree, isRunLocked, isStale, isUp, mayTakeOver, replaceNode } from '../nodes.js';
import { IDLE, NO_FIRE, type FireIndex, type NodeId, type State } from '../state.js';
import { fireName, nodeName, type Step } from '../step.js';
import type { World } from '../world.js';

/** A sweep: one transaction, whose locks keep others away, so that one step is enough. */
export function takeoverSteps(state: State, id: NodeId, world: World): Step[] {
  const { phase } = state.nodes[id];
  if (phase.kind === 'requesting' && isUp(state.nodes[id])) {
    return [requestStep(state, id, phase.fires)];
  }
  const stale = staleFires(state);
  const isFree = state.schedule === 'deleted' || isLockFree(state);
  return isFree && stale.length > 0 && mayTakeOver(state.nodes[id], world)
    ? sweepSteps(state, id, stale, world)
    : [];
}

function staleFires(state: State): FireIndex[] {
  return [...state.fires.keys()].filter((index) => {
    const attempt = latestAttempt(state.fires[index] ?? NO_FIRE);
    return attempt !== undefined && isStale(attempt, state) && !isRunLocked(state, index);
  });
}

function sweepSteps(state: State, id: NodeId, stale: readonly FireIndex[], world: World): Step[] {
  const isAtomic = world.guards.takesOverAtomically;
  if (!isAtomic && state.nodes[id].phase.kind !== 'idle') {
    return [];
  }
  const swept: State = {
    ...state,
    fires: state.fires.map((fire, index) =>
      stale.includes(index) ? abandoned(fire, isAtomic && isOwed(state, index)) : fire,
    ),
  };
  const isWrong = stale.some((index) => {
    const attempt = latestAttempt(state.fires[index] ?? NO_FIRE);
    return attempt !== undefined && isAlive(attempt, state);
  });
  return [
    {
      text: () => `${nodeName(id)} sweeps and abandons ${stale.map(fireName).join(', ')}`,
      fair: { kind: 'sweep', node: id },
      state: isAtomic ? swept : replaceNode(swept, id, { phase: { kind: 'requesting', fires: stale } }),
      ...(isWrong ? { violation: INVARIANTS.livingAreSpared } : {}),
    },
  ];
}

/** Only where takeovers are not atomic: the second transaction. */
function requestStep(state: State, id: NodeId, fires: readonly FireIndex[]): Step {
  const asked: State = {
    ...state,
    fires: state.fires.map((fire, index) =>
      fires.includes(index) ? requested(fire, isOwed(state, index)) : fire,
    ),
  };
  return {
    text: () => `${nodeName(id)} requests the recoveries of ${fires.map(fireName).join(', ')}`,
    fair: { kind: 'request', node: id },
    state: replaceNode(asked, id, { phase: IDLE }),
  };
}

function isOwed(state: State, index: FireIndex): boolean {
  return state.schedule !== 'deleted' && isRecoverable(state.fires[index] ?? NO_FIRE);
}
