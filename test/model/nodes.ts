import { type Attempt, type FireIndex, type NodeId, type NodeState, type State } from './state.js';
import type { World } from './world.js';

/** Whether the process runs. */
export function isUp({ health }: NodeState): boolean {
  return health !== 'down' && health !== 'frozen';
}

/** Whether its heartbeat is younger than `abandonedAfter`. */
export function isFresh({ health }: NodeState): boolean {
  return health === 'beating' || health === 'vigilant';
}

/** Whether the heartbeat of a run is older than `abandonedAfter`, or may be by now. */
export function isStale(attempt: Attempt, state: State): boolean {
  return attempt.status === 'running' && (attempt.node === undefined || !isFresh(state.nodes[attempt.node]));
}

/** Whether a run that looks dead is executed by a process that has never stood still: declaring it dead is wrong. */
export function isAlive(attempt: Attempt, state: State): boolean {
  const health = attempt.node === undefined ? 'down' : state.nodes[attempt.node].health;
  return health === 'cutOff' || health === 'beating' || health === 'vigilant';
}

/** Whether the node may declare others dead. */
export function mayTakeOver(node: NodeState, { guards }: World): boolean {
  return isUp(node) && (node.health === 'vigilant' || !guards.keepsVigil);
}

export function holdsLock({ phase }: NodeState): boolean {
  return phase.kind === 'written';
}

/** Whether nobody holds the lock of the schedule. */
export function isLockFree(state: State): boolean {
  return !state.nodes.some(holdsLock);
}

/** Whether some transaction holds the lock of a fire's running run, because it takes it over. */
export function isRunLocked(state: State, fire: FireIndex): boolean {
  return state.nodes.some(({ phase }) => phase.kind === 'written' && phase.takesOver.includes(fire));
}

export function otherNode(node: NodeId): NodeId {
  return node === 0 ? 1 : 0;
}

export function replaceNode(state: State, id: NodeId, changes: Partial<NodeState>): State {
  const [first, second] = state.nodes;
  return {
    ...state,
    nodes: id === 0 ? [{ ...first, ...changes }, second] : [first, { ...second, ...changes }],
  };
}
