import type { Plan } from './plans.js';

/** Occurrences are numbered from 1, as the ticks of the store's clock at which they are due. */
export const OCCURRENCE_COUNT = 3;

/** One tick more than there are occurrences, so that the last one can be late too. */
export const LAST_TICK = OCCURRENCE_COUNT + 1;

/** How often a fire is recovered: once, so that both a run and its recovery can be abandoned. */
export const MAX_RECOVERIES = 1;

export type NodeId = 0 | 1;
export const NODE_IDS: readonly NodeId[] = [0, 1];

/** A run of the journal that was executed, or is. */
export interface Attempt {
  readonly status: 'running' | 'ended' | 'abandoned';
  /** Absent where the process that claimed it is gone. */
  readonly node: NodeId | undefined;
  /** Whether that process executes it at this moment, taken over or not. */
  readonly isHeld: boolean;
}

/** What the store knows of an occurrence, or of the manual fire. */
export type Fire =
  | { readonly kind: 'none' }
  /** Has the record of a gap. */
  | { readonly kind: 'missed' }
  /** Belongs to a gap that a record before it covers. */
  | { readonly kind: 'covered' }
  | { readonly kind: 'skipped' }
  | { readonly kind: 'requested'; readonly evenIfPaused: boolean }
  | {
      readonly kind: 'claimed';
      readonly attempts: readonly Attempt[];
      readonly isRecoveryRequested: boolean;
    };

/** Where a fire stands in `State.fires`: the occurrences in order, then the manual fire. */
export type FireIndex = number;
export const MANUAL_FIRE: FireIndex = OCCURRENCE_COUNT;

/** What a claim looks at: the cursor, or the request of a fire. */
export type Candidate = 'cursor' | FireIndex;

/** How far a node's transaction has come. */
export type Phase =
  | { readonly kind: 'idle' }
  /** It has read that something is due, and the cursor. */
  | { readonly kind: 'read'; readonly candidate: Candidate; readonly cursor: number }
  /**
   * It holds the locks of the schedule and of the runs it takes over; what it wrote is seen by others when it commits.
   */
  | {
      readonly kind: 'written';
      readonly candidate: Candidate;
      readonly plan: Plan;
      readonly takesOver: readonly FireIndex[];
    }
  /** Only where takeovers are not atomic: it has abandoned runs, and is yet to request their recoveries. */
  | { readonly kind: 'requesting'; readonly fires: readonly FireIndex[] };

export type Health =
  | 'down'
  | 'frozen'
  /** It was frozen and has not beaten since: its runs look dead. */
  | 'suspended'
  /** The database was gone and it has not beaten since: its runs look dead. */
  | 'cutOff'
  | 'beating'
  /** It has been beating for a full `abandonedAfter`. */
  | 'vigilant';

export interface NodeState {
  readonly health: Health;
  readonly phase: Phase;
}

export interface State {
  /** The store's clock. */
  readonly tick: number;
  readonly schedule: 'enabled' | 'paused' | 'deleted';
  /** The next occurrence to claim; one more than there are where none is left. */
  readonly cursor: number;
  /** With `backfill`: what is due up to here is a backlog. */
  readonly backlogUntil: number;
  readonly fires: readonly Fire[];
  readonly nodes: readonly [NodeState, NodeState];
  readonly faultCount: number;
  readonly wasPaused: boolean;
}

export const IDLE: Phase = { kind: 'idle' };
export const NO_FIRE: Fire = { kind: 'none' };

const VIGILANT: NodeState = { health: 'vigilant', phase: IDLE };

export const INITIAL_STATE: State = {
  tick: 0,
  schedule: 'enabled',
  cursor: 1,
  backlogUntil: 0,
  fires: [NO_FIRE, NO_FIRE, NO_FIRE, NO_FIRE],
  nodes: [VIGILANT, VIGILANT],
  faultCount: 0,
  wasPaused: false,
};
