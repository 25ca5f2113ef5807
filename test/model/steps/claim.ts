import { firesWhilePaused, isRequested, isRunning, journaledThrough, latestAttempt } from '../fires.js';
import { INVARIANTS } from '../invariants.js';
import { isAlive, isLockFree, isStale, isUp, mayTakeOver, replaceNode } from '../nodes.js';
import type { Planner } from '../plans.js';
import {
  IDLE,
  NO_FIRE,
  OCCURRENCE_COUNT,
  type Candidate,
  type FireIndex,
  type NodeId,
  type Phase,
  type State,
} from '../state.js';
import { fireName, nodeName, type Step } from '../step.js';
import type { World } from '../world.js';
import { commitStep } from './commit.js';

type Read = Extract<Phase, { kind: 'read' }>;

/** A claim, from what the node reads to its commit. */
export function claimSteps(state: State, id: NodeId, world: World, planner: Planner): Step[] {
  const node = state.nodes[id];
  if (!isUp(node)) {
    return [];
  }
  const { phase } = node;
  switch (phase.kind) {
    case 'idle':
      return readSteps(state, id, world);
    case 'read':
      return [
        isClaimable(state, phase, world) ? writeStep(state, id, phase, world, planner) : giveUp(state, id),
      ];
    case 'written':
      return [commitStep(state, id, phase, world)];
    case 'requesting':
      return [];
  }
}

function readSteps(state: State, id: NodeId, world: World): Step[] {
  // Remembered only where somebody believes in it later.
  const cursor = world.guards.rereadsCursor ? 0 : state.cursor;
  const requests = [...state.fires.keys()].filter((index) => mayRequestFire(state, index, world));
  const candidates: Candidate[] = isDue(state, state.cursor, world) ? ['cursor', ...requests] : requests;
  return candidates
    .filter((candidate) => state.schedule === 'enabled' || firesWhilePaused(state, candidate))
    .map((candidate) => ({
      text: () => `${nodeName(id)} reads ${candidateName(candidate, state.cursor)}`,
      fair: { kind: 'read', node: id },
      state: replaceNode(state, id, { phase: { kind: 'read', candidate, cursor } }),
    }));
}

/** SKIP LOCKED, and the conditions again on the newest version of the row. */
function isClaimable(state: State, read: Read, world: World): boolean {
  const { candidate } = read;
  return (
    isLockFree(state) &&
    state.schedule !== 'deleted' &&
    (candidate === 'cursor'
      ? isDue(state, believedCursor(state, read, world), world)
      : isRequested(state.fires[candidate] ?? NO_FIRE)) &&
    (state.schedule === 'enabled' || firesWhilePaused(state, candidate) || !world.guards.rereadsPause)
  );
}

function believedCursor(state: State, { cursor }: Read, { guards }: World): number {
  return guards.rereadsCursor ? state.cursor : cursor;
}

function giveUp(state: State, id: NodeId): Step {
  return {
    text: () => `${nodeName(id)} finds nothing that it can lock`,
    fair: { kind: 'write', node: id },
    state: replaceNode(state, id, { phase: IDLE }),
  };
}

/** Locks, takes over what is stale, then decides with the library's own plan. */
function writeStep(state: State, id: NodeId, read: Read, world: World, planner: Planner): Step {
  const { candidate } = read;
  const cursor = believedCursor(state, read, world);
  const takesOver = staleInTheWay(state, id, world);
  const isLate = candidate === 'cursor' && cursor < state.tick;
  const plan = planner.plan({
    candidate,
    cursor,
    tick: state.tick,
    backlogUntil: state.backlogUntil,
    isActive: runningFires(state).some((fire) => !takesOver.includes(fire)),
    journaledThrough: isLate && world.guards.looksUpJournal ? journaledThrough(state.fires) : undefined,
  });
  return {
    text: () =>
      `${nodeName(id)} locks ${candidateName(candidate, cursor)}${takesOver.map((fire) => `, takes over ${fireName(fire)}`).join('')} and writes`,
    fair: { kind: 'write', node: id },
    state: replaceNode(state, id, { phase: { kind: 'written', candidate, plan, takesOver } }),
    ...(takesOver.some((fire) => isAliveFire(state, fire)) ? { violation: INVARIANTS.livingAreSpared } : {}),
  };
}

function staleInTheWay(state: State, id: NodeId, world: World): FireIndex[] {
  if (world.concurrencyPolicy === 'allow' || !mayTakeOver(state.nodes[id], world)) {
    return [];
  }
  return runningFires(state).filter((index) => {
    const attempt = latestAttempt(state.fires[index] ?? NO_FIRE);
    return attempt !== undefined && isStale(attempt, state);
  });
}

function isAliveFire(state: State, index: FireIndex): boolean {
  const attempt = latestAttempt(state.fires[index] ?? NO_FIRE);
  return attempt !== undefined && isAlive(attempt, state);
}

function runningFires(state: State): FireIndex[] {
  return [...state.fires.keys()].filter((index) => isRunning(state.fires[index] ?? NO_FIRE));
}

function hasExclusiveRun(state: State, { concurrencyPolicy }: World): boolean {
  return concurrencyPolicy === 'forbid' && state.fires.some(isRunning);
}

function isDue(state: State, cursor: number, world: World): boolean {
  const isBacklog =
    world.misfirePolicy === 'backfill' && (cursor < state.tick || cursor <= state.backlogUntil);
  return cursor <= Math.min(state.tick, OCCURRENCE_COUNT) && !(isBacklog && hasExclusiveRun(state, world));
}

/** A recovery waits where the policy forbids overlap; a manual fire is skipped. */
function mayRequestFire(state: State, index: FireIndex, world: World): boolean {
  const fire = state.fires[index] ?? NO_FIRE;
  return isRequested(fire) && (fire.kind === 'requested' || !hasExclusiveRun(state, world));
}

function candidateName(candidate: Candidate, cursor: number): string {
  return candidate === 'cursor' ? `the cursor at ${cursor}` : `the request of ${fireName(candidate)}`;
}
