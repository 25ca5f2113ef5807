import type { RunOrigin } from '../schedules/index.js';
import type { Occurrence } from './execution.js';

/** What a node is about to ask the store for. */
export interface ClaimIntent {
  readonly nodeId: string;
  /** The jobs registered on this node: fires of others are not asked for. */
  readonly jobNames: readonly string[];
  /** How many runs it can take. */
  readonly slots: number;
}

/** A run that a node has claimed and started. */
export interface Claim {
  readonly nodeId: string;
  readonly runId: string;
  readonly scheduleId: string;
  readonly scheduleName: string;
  readonly jobName: string;
  readonly origin: RunOrigin;
  /** The occurrence that the run is for; absent on a manual fire. */
  readonly occurrence?: Occurrence;
  readonly scheduledAtUnixMs: number;
  readonly claimedAtUnixMs: number;
  readonly attempt: number;
  readonly idempotencyKey: string;
}

/**
 * Is told what this node claims. Extend it in a provider of any module, or provide it under this class as the token; a
 * factory under the token may return several in an array. An observer is a singleton.
 *
 * It observes, and changes nothing: nobody waits for what it returns, no transaction is open and no slot is held for
 * it, and what it throws is logged. What must happen around a run is for a `RunInterceptor`.
 */
export abstract class ClaimObserver {
  /** Position among the observers. Equal ones keep the order of their discovery. Default 0. */
  readonly order: number = 0;

  /** Before each look for due fires, also those that find none. */
  beforeClaim?(intent: ClaimIntent): void | Promise<void>;

  /** After a claim has committed, for each run of it, in the order in which they were started. */
  afterClaim?(claim: Claim): void | Promise<void>;
}
