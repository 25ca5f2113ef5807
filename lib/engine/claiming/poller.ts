import { AsyncLocalStorage } from 'node:async_hooks';
import { StoreEnvironmentError } from '../../schedules/index.js';
import { type Claimer, type ClaimPass, EMPTY_PASS } from './claimer.js';
import type { EngineFault } from '../engine-status.js';
import { messageOf } from '../../error-reading.js';
import { codeFacts, type StoreLogger } from '../../store-logger.js';
import { retryPauseAfter } from '../timing/retry-pause.js';
import { WakeableSleep } from '../timing/wakeable-sleep.js';

/** Until the next look at something due that somebody has locked at this moment: first that of another node's claim. */
const FIRST_LOCKED_PAUSE_MS = 20;

/** And where a transaction of somebody else's goes on and on. */
const LONGEST_LOCKED_PAUSE_MS = 1_000;

/** What can be wrong with a pass. */
type PassFault = Extract<EngineFault, 'environment_mismatch' | 'claim_failed'>;

/** Passes that failed in a row. */
interface FailedPasses {
  /** What is wrong with the last. */
  readonly fault: PassFault;
  readonly count: number;
}

/**
 * The loop: look whether something is due, claim it where it is, else sleep until it is or somebody wakes the loop. To
 * look is one statement, so that waking in vain costs little. Nothing but `stop` ends it.
 */
export class Poller {
  private readonly sleeper = new WakeableSleep();
  // Whoever asks for a pass (a request, a test) must not be the context of what it starts and tells.
  private readonly outsideAnyContext = AsyncLocalStorage.snapshot();
  private pass: Promise<unknown> = Promise.resolve();
  private loop: Promise<void> = Promise.resolve();
  private companion: Promise<void> | undefined;
  /** Whether the last pass may have left something that is due. */
  private mayHaveMore = false;
  /** Passes in a row that could take nothing of what was due. */
  private passesInVain = 0;
  private isStopped = false;
  /** Undefined where the last pass did not fail. */
  private failed: FailedPasses | undefined;
  private passedAt = performance.now();

  /** @param pollIntervalMs bounds also the pauses between attempts while the database is away. */
  constructor(
    private readonly claimer: Pick<Claimer, 'untilDue' | 'claim' | 'settle'>,
    private readonly pollIntervalMs: number,
    private readonly logger: StoreLogger,
  ) {}

  /** Why the last pass failed; undefined where it did not. */
  get fault(): PassFault | undefined {
    return this.failed?.fault;
  }

  /** How long ago a pass succeeded, in ms; before the first, how long ago the loop was started. */
  get lastPassAgeMs(): number {
    return Math.round(performance.now() - this.passedAt);
  }

  start(): void {
    this.passedAt = performance.now();
    this.loop = this.repeat();
  }

  /** There may be something to claim. */
  wake(): void {
    this.sleeper.wake();
  }

  /** Claims once, now: after whatever pass is under way. */
  async runOnce(): Promise<ClaimPass> {
    try {
      return await this.claimInTurn();
    } finally {
      // The loop may have found the slots taken that this one had reserved.
      this.wake();
    }
  }

  /** Resolves when the passes that are under way now have ended, and what they have claimed is started and told. */
  async untilPassed(): Promise<void> {
    await Promise.all([this.pass, this.companion]);
  }

  private async claimInTurn(): Promise<ClaimPass> {
    const pass = this.outsideAnyContext(() =>
      this.pass.then(async () => (this.isStopped ? EMPTY_PASS : this.claimer.claim())),
    );
    this.pass = pass.catch(() => undefined);
    return pass;
  }

  /** No pass starts after this; resolves when none is under way. */
  async stop(): Promise<void> {
    this.isStopped = true;
    this.sleeper.wake();
    await this.loop;
    await this.companion;
    await this.pass;
    await this.claimer.settle();
  }

  private async repeat(): Promise<void> {
    while (!this.isStopped) {
      const pauseMs = await this.passAndPause();
      if (pauseMs > 0) {
        await this.sleeper.sleep(pauseMs);
      }
    }
  }

  /** Never rejects: whatever goes wrong is tried again. */
  private async passAndPause(): Promise<number> {
    try {
      const untilDueMs = this.mayHaveMore ? 0 : await this.claimer.untilDue();
      const pauseMs = untilDueMs === 0 ? await this.passNow() : this.rest(untilDueMs);
      // Where no slot is free the database was not asked, and what is wrong with it is as before.
      if (untilDueMs !== undefined || this.failed === undefined) {
        this.onPassed();
      }
      return pauseMs;
    } catch (error) {
      const fault = error instanceof StoreEnvironmentError ? 'environment_mismatch' : 'claim_failed';
      if (fault !== this.failed?.fault) {
        this.tell(fault, error);
      }
      this.failed = { fault, count: (this.failed?.count ?? 0) + 1 };
      return Math.min(retryPauseAfter(this.failed.count), this.pollIntervalMs);
    }
  }

  private onPassed(): void {
    if (this.failed !== undefined) {
      this.logger.log('Claiming works again.');
    }
    this.failed = undefined;
    this.passedAt = performance.now();
  }

  private tell(fault: PassFault, error: unknown): void {
    if (fault === 'environment_mismatch') {
      this.logger.error(`Nothing is claimed here any more: ${messageOf(error)}`, codeFacts(error));
    } else {
      this.logger.warn(`Claiming failed and is tried again: ${messageOf(error)}`, codeFacts(error));
    }
  }

  /** Nothing is due, or no slot is free. @returns how long to sleep. */
  private rest(untilDueMs = this.pollIntervalMs): number {
    this.passesInVain = 0;
    return untilDueMs;
  }

  /** @returns how long to sleep: not at all after a pass that did something, which may have left something over. */
  private async passNow(): Promise<number> {
    this.mayHaveMore = false;
    const { started, journaled, mayHaveMore } = await this.claimInTurn();
    this.mayHaveMore = mayHaveMore;
    if (mayHaveMore) {
      this.companion ??= this.accompany();
    }
    this.passesInVain = started + journaled > 0 ? 0 : this.passesInVain + 1;
    return this.passesInVain === 0 ? 0 : Math.min(lockedPauseAfter(this.passesInVain), this.pollIntervalMs);
  }

  /**
   * While batches are full, a second claim goes beside the loop's, so that one is decided while the other is written.
   * Two claims of one node are to each other as those of two nodes: SKIP LOCKED keeps them apart.
   */
  private async accompany(): Promise<void> {
    try {
      while (!this.isStopped && (await this.outsideAnyContext(() => this.claimer.claim())).mayHaveMore);
    } catch {
      // The loop meets the same trouble, and deals with it.
    } finally {
      this.companion = undefined;
      // The loop may have found the slots taken that this one had reserved, and sleep until the next look.
      this.wake();
    }
  }
}

function lockedPauseAfter(passesInVain: number): number {
  return Math.min(FIRST_LOCKED_PAUSE_MS * 2 ** (passesInVain - 1), LONGEST_LOCKED_PAUSE_MS);
}
