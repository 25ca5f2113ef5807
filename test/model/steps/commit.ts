import {
  abandoned,
  claimed,
  firesWhilePaused,
  hasRecord,
  isRecoverable,
  latestAttempt,
  replaceFire,
} from '../fires.js';
import { INVARIANTS } from '../invariants.js';
import { replaceNode } from '../nodes.js';
import type { Plan } from '../plans.js';
import { IDLE, NO_FIRE, type Fire, type NodeId, type Phase, type State } from '../state.js';
import { fireName, nodeName, type Step } from '../step.js';
import type { World } from '../world.js';

type Written = Extract<Phase, { kind: 'written' }>;

/** Everything that a claim wrote becomes true at once, and what it claimed starts. */
export function commitStep(state: State, id: NodeId, written: Written, world: World): Step {
  const { plan, takesOver } = written;
  let fires = state.fires;
  for (const index of takesOver) {
    const fire = fires[index] ?? NO_FIRE;
    fires = replaceFire(fires, index, abandoned(fire, isRecoverable(fire)));
  }
  const journaled = journal(fires, plan, id, world);
  const violation = brokenPause(state, written) ?? journaled.violation;
  return {
    text: () => `${nodeName(id)} commits${planText(plan)}`,
    fair: { kind: 'commit', node: id },
    state: replaceNode(
      {
        ...state,
        fires: journaled.fires,
        cursor: plan.nextCursor ?? state.cursor,
        backlogUntil: plan.backlogUntil ?? state.backlogUntil,
      },
      id,
      { phase: IDLE },
    ),
    ...(violation === undefined ? {} : { violation }),
  };
}

function brokenPause(state: State, { plan, candidate }: Written): string | undefined {
  const mayFire =
    state.schedule === 'enabled' || (state.schedule === 'paused' && firesWhilePaused(state, candidate));
  return plan.fire === undefined || mayFire ? undefined : INVARIANTS.pauseBlocks;
}

interface Journaled {
  readonly fires: readonly Fire[];
  readonly violation?: string;
}

function journal(fires: readonly Fire[], plan: Plan, id: NodeId, world: World): Journaled {
  const gap = journalGap(fires, plan, world);
  return gap.violation === undefined ? journalFire(gap.fires, plan, id, world) : gap;
}

/** A gap is one record, under its first occurrence. */
function journalGap(fires: readonly Fire[], { missed }: Plan, world: World): Journaled {
  if (missed === undefined) {
    return { fires };
  }
  if (hasRecord(fires[missed.first - 1] ?? NO_FIRE)) {
    return refused(fires, world);
  }
  const covered = fires.map((fire, index): Fire => {
    const isInside = index >= missed.first && index < missed.last;
    return isInside && fire.kind === 'none' ? { kind: 'covered' } : fire;
  });
  return { fires: replaceFire(covered, missed.first - 1, { kind: 'missed' }) };
}

function journalFire(
  fires: readonly Fire[],
  { fire: planned, nextCursor }: Plan,
  id: NodeId,
  world: World,
): Journaled {
  if (planned === undefined) {
    return { fires };
  }
  const { index, decision } = planned;
  const fire = fires[index] ?? NO_FIRE;
  if (nextCursor !== undefined && hasRecord(fire)) {
    return refused(fires, world);
  }
  const isTwice =
    fire.kind === 'covered' || (fire.kind === 'claimed' && latestAttempt(fire)?.status !== 'abandoned');
  return {
    fires: replaceFire(fires, index, decision === 'run' ? claimed(fire, id) : { kind: 'skipped' }),
    ...(isTwice ? { violation: INVARIANTS.noDuplicate } : {}),
  };
}

/** The unique index leaves the record out, and nothing else. */
function refused(fires: readonly Fire[], { guards }: World): Journaled {
  return guards.fencesOccurrences ? { fires } : { fires, violation: INVARIANTS.noDuplicate };
}

function planText({ fire, missed, nextCursor }: Plan): string {
  return [
    ...(fire === undefined
      ? []
      : [`${fireName(fire.index)} ${fire.decision === 'run' ? 'starts' : 'is skipped'}`]),
    ...(missed === undefined ? [] : [`occurrences ${missed.first} to ${missed.last} are missed`]),
    ...(nextCursor === undefined ? [] : [`the cursor moves to ${nextCursor}`]),
  ]
    .map((part, index) => `${index === 0 ? ': ' : ', '}${part}`)
    .join('');
}
