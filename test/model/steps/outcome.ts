import { changeAttempts, replaceFire } from '../fires.js';
import { INVARIANTS } from '../invariants.js';
import { isRunLocked, isUp } from '../nodes.js';
import { type Attempt, type Fire, type FireIndex, type NodeId, type State } from '../state.js';
import { fireName, nodeName, type Step } from '../step.js';
import type { World } from '../world.js';

/** A handler settles and its outcome is written: compare-and-set on "running, and mine". */
export function outcomeSteps(state: State, id: NodeId, world: World): Step[] {
  if (!isUp(state.nodes[id])) {
    return [];
  }
  return state.fires.flatMap((fire, index) =>
    isRunLocked(state, index) || fire.kind !== 'claimed'
      ? []
      : fire.attempts
          .filter((attempt) => attempt.isHeld && attempt.node === id)
          .map((attempt) => outcomeStep(state, id, { fire, index, attempt }, world)),
  );
}

interface Outcome {
  readonly fire: Fire;
  readonly index: FireIndex;
  readonly attempt: Attempt;
}

function outcomeStep(state: State, id: NodeId, { fire, index, attempt }: Outcome, { guards }: World): Step {
  const isOurs = attempt.status === 'running';
  const isWritten = isOurs || !guards.comparesOutcomes;
  const settledFire = changeAttempts(fire, (other) =>
    other === attempt ? { ...other, isHeld: false, status: isWritten ? 'ended' : other.status } : other,
  );
  return {
    text: () => `${nodeName(id)} ${isWritten ? 'journals' : 'drops'} the outcome of ${fireName(index)}`,
    fair: { kind: 'outcome', node: id },
    state: { ...state, fires: replaceFire(state.fires, index, settledFire) },
    ...(isWritten && !isOurs ? { violation: INVARIANTS.abandonedIsFinal } : {}),
  };
}
