import { changeAttempts } from '../fires.js';
import { isFresh, isRunLocked, isUp, otherNode, replaceNode } from '../nodes.js';
import type { NodeId, State } from '../state.js';
import { nodeName, type Step } from '../step.js';

/**
 * A node that stood still or was cut off beats again, and learns what it lost. After a full `abandonedAfter` of beating
 * its vigil is complete: by then every other process that runs has beaten as well.
 */
export function heartbeatSteps(state: State, id: NodeId): Step[] {
  const node = state.nodes[id];
  if (!isUp(node)) {
    return [];
  }
  if (!isFresh(node)) {
    return isWaiting(state, id) ? [] : [beat(state, id)];
  }
  const other = state.nodes[otherNode(id)];
  return node.health === 'beating' && (!isUp(other) || isFresh(other))
    ? [
        {
          text: () => `${nodeName(id)} completes its vigil`,
          fair: { kind: 'vigil', node: id },
          state: replaceNode(state, id, { health: 'vigilant' }),
        },
      ]
    : [];
}

function beat(state: State, id: NodeId): Step {
  const fires = state.fires.map((fire) =>
    changeAttempts(fire, (attempt) =>
      attempt.node === id && attempt.status !== 'running' ? { ...attempt, isHeld: false } : attempt,
    ),
  );
  return {
    text: () => `${nodeName(id)} beats and aborts what was taken over`,
    fair: { kind: 'beat', node: id },
    state: replaceNode({ ...state, fires }, id, { health: 'beating' }),
  };
}

/** The heartbeat waits for the lock of a run that is being taken over. */
function isWaiting(state: State, id: NodeId): boolean {
  return state.fires.some(
    (fire, index) =>
      isRunLocked(state, index) &&
      fire.kind === 'claimed' &&
      fire.attempts.some((attempt) => attempt.node === id && attempt.status === 'running'),
  );
}
