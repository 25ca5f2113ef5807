import type { RunOrigin } from '../schedules/index.js';
import type { Occurrence } from './execution.js';
import { brand, CLAIM_OBSERVER } from './extension-brand.js';

/** What a node is about to ask the store for. */
export interface ClaimIntent {
  /** The name of the store; `'default'` is the unnamed one. */
  readonly store: string;
  /** The node that asks. */
  readonly nodeId: string;
  /** The jobs registered on this node: fires of others are not asked for. */
  readonly jobNames: readonly string[];
  /** How many runs it can take. */
  readonly slots: number;
}

/** A run that a node has claimed and started. */
export interface Claim {
  /** The name of the store; `'default'` is the unnamed one. */
  readonly store: string;
  /** The node that has claimed it. */
  readonly nodeId: string;
  /** The journal's id of the run. */
  readonly runId: string;
  /** The schedule's id. Stays the same through renames. */
  readonly scheduleId: string;
  /** The schedule's name when the run was claimed. */
  readonly scheduleName: string;
  /** The job that is executed. */
  readonly jobName: string;
  /** Where the run comes from. */
  readonly origin: RunOrigin;
  /** The occurrence that the run is for; absent on a manual fire. */
  readonly occurrence?: Occurrence;
  /** The logical fire time, in Unix ms. */
  readonly scheduledAtUnixMs: number;
  /** When the node claimed it, in Unix ms by the store's time. */
  readonly claimedAtUnixMs: number;
  /** 1 for the first execution of an occurrence or request, one more for each recovery and each retry. */
  readonly attempt: number;
  /** Equal in every attempt of one occurrence or request. */
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

  /** Names of the stores that it serves, `'default'` for the unnamed one. Default: every store of the application. */
  readonly stores?: readonly string[] | undefined;

  /** Before each look for due fires, also those that find none. */
  beforeClaim?(intent: ClaimIntent): void | Promise<void>;

  /** After a claim has committed, for each run of it, in the order in which they were started. */
  afterClaim?(claim: Claim): void | Promise<void>;
}

brand(ClaimObserver, CLAIM_OBSERVER);
