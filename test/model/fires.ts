import {
  MANUAL_FIRE,
  MAX_RECOVERIES,
  NO_FIRE,
  type Attempt,
  type Candidate,
  type Fire,
  type FireIndex,
  type State,
} from './state.js';

/** The run that counts: the latest attempt. */
export function latestAttempt(fire: Fire): Attempt | undefined {
  return fire.kind === 'claimed' ? fire.attempts.at(-1) : undefined;
}

export function isRunning(fire: Fire): boolean {
  return latestAttempt(fire)?.status === 'running';
}

/** Whether the journal has a record under the occurrence itself: the unique index refuses another. */
export function hasRecord(fire: Fire): boolean {
  return fire.kind === 'missed' || fire.kind === 'skipped' || fire.kind === 'claimed';
}

/** Whether a request waits to be claimed. */
export function isRequested(fire: Fire): boolean {
  return fire.kind === 'requested' || (fire.kind === 'claimed' && fire.isRecoveryRequested);
}

/** Whether the candidate may be claimed at all, its schedule being paused. */
export function firesWhilePaused(state: State, candidate: Candidate): boolean {
  const fire = candidate === 'cursor' ? undefined : state.fires[candidate];
  return fire?.kind === 'requested' && fire.evenIfPaused;
}

/** How far the journal has come: the latest occurrence with a record, or covered by one. */
export function journaledThrough(fires: readonly Fire[]): number {
  return fires.slice(0, MANUAL_FIRE).findLastIndex((fire) => fire.kind !== 'none') + 1;
}

/** Claims the fire for a node: its first run, or the next one. */
export function claimed(fire: Fire, node: Attempt['node']): Fire {
  const attempts = fire.kind === 'claimed' ? fire.attempts : [];
  return settled({
    kind: 'claimed',
    attempts: [...attempts, { status: 'running', node, isHeld: true }],
    isRecoveryRequested: false,
  });
}

/** Abandons the running run; its recovery is requested where it is owed one. */
export function abandoned(fire: Fire, requestsRecovery: boolean): Fire {
  return requested(
    changeAttempts(fire, (attempt) =>
      attempt.status === 'running' ? { ...attempt, status: 'abandoned' } : attempt,
    ),
    requestsRecovery,
  );
}

export function requested(fire: Fire, requestsRecovery: boolean): Fire {
  return fire.kind === 'claimed' ? { ...fire, isRecoveryRequested: requestsRecovery } : fire;
}

/** Whether an abandoned run of the fire is owed another one. */
export function isRecoverable(fire: Fire): boolean {
  return fire.kind === 'claimed' && fire.attempts.length <= MAX_RECOVERIES;
}

/**
 * Whether the journal has the last word on the fire: whatever it says, no step depends on it.
 */
export function isOver(fire: Fire): boolean {
  if (fire.kind !== 'claimed') {
    return fire.kind === 'missed' || fire.kind === 'skipped';
  }
  const isGivenUp = latestAttempt(fire)?.status === 'abandoned' && !isRecoverable(fire);
  const hasEnded = latestAttempt(fire)?.status === 'ended';
  return (hasEnded || isGivenUp) && !isHeld(fire);
}

/** What is left of a fire whose schedule is deleted: runs that are executed go on, requests are removed. */
export function afterDeletion(fire: Fire): Fire {
  return isRunning(fire) || isHeld(fire) ? requested(fire, false) : NO_FIRE;
}

export function changeAttempts(fire: Fire, change: (attempt: Attempt) => Attempt): Fire {
  return fire.kind === 'claimed' ? settled({ ...fire, attempts: fire.attempts.map(change) }) : fire;
}

export function replaceFire(fires: readonly Fire[], index: FireIndex, fire: Fire): readonly Fire[] {
  return fires.with(index, fire);
}

function isHeld(fire: Fire): boolean {
  return fire.kind === 'claimed' && fire.attempts.some((attempt) => attempt.isHeld);
}

/** Forgets who executed what is over. */
function settled(fire: Extract<Fire, { kind: 'claimed' }>): Fire {
  return {
    ...fire,
    attempts: fire.attempts.map((attempt) =>
      attempt.isHeld || attempt.status === 'running' ? attempt : { ...attempt, node: undefined },
    ),
  };
}
