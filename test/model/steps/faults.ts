import { changeAttempts } from '../fires.js';
import { holdsLock, isLockFree, isUp, replaceNode } from '../nodes.js';
import { IDLE, NODE_IDS, type NodeId, type NodeState, type State } from '../state.js';
import { nodeName, type Step } from '../step.js';
import type { Fault, World } from '../world.js';

/** What happens to one node. */
export function faultSteps(state: State, id: NodeId, world: World): Step[] {
  switch (state.nodes[id].health) {
    case 'down':
      return [restart(state, id)];
    case 'frozen':
      return [thaw(state, id), ...expirySteps(state, id, world), ...crashSteps(state, id, world)];
    default:
      return [...crashSteps(state, id, world), ...freezeSteps(state, id, world)];
  }
}

/** The database is gone for longer than `abandonedAfter`: transactions end, and nobody's heartbeat is fresh. */
export function outageSteps(state: State, world: World): Step[] {
  if (!isAllowed(state, 'outage', world)) {
    return [];
  }
  const cut = NODE_IDS.reduce((next, id) => replaceNode(next, id, cutOff(next.nodes[id])), state);
  return [{ text: () => 'The database is gone for a while', state: countFault(cut) }];
}

function cutOff(node: NodeState): NodeState {
  const isNew = isUp(node) && node.health !== 'suspended';
  return { health: isNew ? 'cutOff' : node.health, phase: IDLE };
}

function crashSteps(state: State, id: NodeId, world: World): Step[] {
  if (!isAllowed(state, 'crash', world)) {
    return [];
  }
  const fires = state.fires.map((fire) =>
    changeAttempts(fire, (attempt) =>
      attempt.node === id ? { ...attempt, node: undefined, isHeld: false } : attempt,
    ),
  );
  return [
    {
      text: () => `${nodeName(id)} crashes`,
      state: countFault(replaceNode({ ...state, fires }, id, { health: 'down', phase: IDLE })),
    },
  ];
}

function restart(state: State, id: NodeId): Step {
  return {
    text: () => `${nodeName(id)} restarts`,
    fair: { kind: 'restart', node: id },
    state: replaceNode(state, id, { health: 'beating' }),
  };
}

function freezeSteps(state: State, id: NodeId, world: World): Step[] {
  return isAllowed(state, 'freeze', world)
    ? [
        {
          text: () => `${nodeName(id)} freezes`,
          state: countFault(replaceNode(state, id, { health: 'frozen' })),
        },
      ]
    : [];
}

/** Nothing promises that a process that stands still goes on. */
function thaw(state: State, id: NodeId): Step {
  return { text: () => `${nodeName(id)} goes on`, state: replaceNode(state, id, { health: 'suspended' }) };
}

/** The server ends a transaction whose client is silent. */
function expirySteps(state: State, id: NodeId, { guards }: World): Step[] {
  return guards.boundsTransactions && holdsLock(state.nodes[id])
    ? [
        {
          text: () => `The server ends the transaction of ${nodeName(id)}`,
          fair: { kind: 'expire', node: id },
          state: replaceNode(state, id, { phase: IDLE }),
        },
      ]
    : [];
}

/** The row of the schedule is put back to what it was, and the journal is not. */
export function restorationSteps(state: State, world: World): Step[] {
  return state.schedule !== 'deleted' && isLockFree(state) && isAllowed(state, 'restoration', world)
    ? Array.from({ length: state.cursor - 1 }, (_, index) => ({
        text: () => `The cursor is put back to ${index + 1}`,
        state: countFault({ ...state, cursor: index + 1 }),
      }))
    : [];
}

function isAllowed({ faultCount }: State, fault: Fault, { faults, maxFaults }: World): boolean {
  return faultCount < maxFaults && faults.includes(fault);
}

function countFault(state: State): State {
  return { ...state, faultCount: state.faultCount + 1 };
}
