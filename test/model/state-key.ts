import { isOver } from './fires.js';
import {
  MANUAL_FIRE,
  type Attempt,
  type Candidate,
  type Fire,
  type FireIndex,
  type Health,
  type NodeState,
  type Phase,
  type State,
} from './state.js';

const SCHEDULES: readonly State['schedule'][] = ['enabled', 'paused', 'deleted'];
const HEALTHS: readonly Health[] = ['down', 'frozen', 'suspended', 'cutOff', 'beating', 'vigilant'];
const PHASES: readonly Phase['kind'][] = ['idle', 'read', 'written', 'requesting'];
const STATUSES: readonly Attempt['status'][] = ['running', 'ended', 'abandoned'];

/** The canonical form of a state: equal for equal states, different for different ones. One number to a code unit. */
export function keyOf({
  tick,
  cursor,
  backlogUntil,
  schedule,
  faultCount,
  wasPaused,
  nodes,
  fires,
}: State): string {
  const [first, second] = nodes;
  return String.fromCharCode(
    tick | (cursor << 3) | (backlogUntil << 6) | (SCHEDULES.indexOf(schedule) << 9),
    faultCount | (Number(wasPaused) << 4),
    nodeCode(first),
    phaseCode(first.phase),
    nodeCode(second),
    phaseCode(second.phase),
    ...fires.map(fireCode),
  );
}

function nodeCode({ health, phase }: NodeState): number {
  const candidate = 'candidate' in phase ? 1 + candidateCode(phase.candidate) : 0;
  return HEALTHS.indexOf(health) | (PHASES.indexOf(phase.kind) << 3) | (candidate << 5);
}

function candidateCode(candidate: Candidate): number {
  return candidate === 'cursor' ? MANUAL_FIRE + 1 : candidate;
}

function phaseCode(phase: Phase): number {
  switch (phase.kind) {
    case 'idle':
      return 0;
    case 'read':
      return phase.cursor;
    case 'written':
      return bitsOf(phase.takesOver) | (phase.plan.id << 4);
    case 'requesting':
      return bitsOf(phase.fires);
  }
}

function bitsOf(fires: readonly FireIndex[]): number {
  return fires.reduce((bits, index) => bits | (1 << index), 0);
}

/** How a fire that is over came to be over makes no difference. Its attempts, at most two, have five bits each. */
function fireCode(fire: Fire): number {
  if (isOver(fire)) {
    return 0;
  }
  switch (fire.kind) {
    case 'none':
      return 1;
    case 'covered':
      return 2;
    case 'requested':
      return 3 | (Number(fire.evenIfPaused) << 2);
    case 'claimed':
      return fire.attempts.reduce(
        (code, attempt) => (code << 5) | attemptCode(attempt),
        8 | Number(fire.isRecoveryRequested),
      );
    default:
      throw new TypeError(`A fire that is ${fire.kind} is over.`);
  }
}

function attemptCode({ status, node, isHeld }: Attempt): number {
  return STATUSES.indexOf(status) | ((node ?? 2) << 2) | (Number(isHeld) << 4);
}
