import { Logger } from '@nestjs/common';
import type { JobHandlerRegistry } from '../jobs/index.js';
import type { ExpiredPauses } from '../manager/index.js';
import type { ResolvedOptions } from '../options/index.js';
import { ClaimUnconfirmedError, type ClaimResult, type Storage } from '../storage/index.js';
import type { ClaimNotifier } from './claim-notifier.js';
import type { RunSlots } from './run-slots.js';
import type { StoreTime } from './store-time.js';
import type { Vigil } from './vigil.js';

/** What one pass of the engine did. */
export interface PassResult {
  /** Runs claimed and started on this node. */
  readonly started: number;
  /** Runs journaled without being executed: missed, skipped, or failed because their schedule is unreadable. */
  readonly journaled: number;
}

/** What the claimer works with. */
export interface ClaimerContext {
  readonly storage: Storage;
  readonly nodeId: string;
  readonly registry: JobHandlerRegistry;
  readonly slots: RunSlots;
  readonly vigil: Vigil;
  readonly storeTime: StoreTime;
  readonly options: ResolvedOptions;
  readonly expiredPauses: ExpiredPauses;
  readonly notifier: ClaimNotifier;
  readonly onClaimed: (result: ClaimResult) => void;
}

/** Claims what is due, and knows when to look again. */
export class Claimer {
  private readonly logger = new Logger(Claimer.name);
  private unconfirmed: ClaimResult | undefined;
  /** Whether the last claim was as large as it could be. */
  private mayHaveLeftSome = false;

  constructor(private readonly context: ClaimerContext) {}

  /** Claims once and hands the runs over to be started. */
  async claim(): Promise<PassResult> {
    const { storage, nodeId, registry, slots, vigil, options, notifier } = this.context;
    if (this.unconfirmed !== undefined) {
      return this.confirm(this.unconfirmed);
    }
    const jobNames = registry.names();
    if (jobNames.length === 0 || slots.free <= 0) {
      return { started: 0, journaled: 0 };
    }
    notifier.beforeClaim({ jobNames, slots: slots.free });
    const limit = Math.min(options.batchSize, slots.free);
    this.mayHaveLeftSome = false;
    try {
      const result = await storage.claims.claim({
        nodeId,
        jobNames,
        slots: slots.free,
        batchSize: options.batchSize,
        misfireThresholdMs: options.misfireThreshold,
        abandonedAfterMs: options.abandonedAfter,
        maxRecoveries: options.maxRecoveries,
        mayTakeOver: (nowUnixMs) => vigil.isComplete(nowUnixMs),
      });
      this.mayHaveLeftSome = result.claimed.length + result.journaled.length >= limit;
      return this.begin(result);
    } catch (error) {
      if (error instanceof ClaimUnconfirmedError) {
        this.unconfirmed = error.result;
      }
      throw error;
    }
  }

  /** A claim that committed unanswered is this node's to start: nobody else would, before its runs look abandoned. */
  private async confirm(unconfirmed: ClaimResult): Promise<PassResult> {
    const result = await this.context.storage.claims.confirm(unconfirmed);
    this.unconfirmed = undefined;
    return this.begin(result);
  }

  private begin(result: ClaimResult): PassResult {
    const { notifier, onClaimed } = this.context;
    onClaimed(result);
    notifier.afterClaim(result.claimed.map(({ run }) => run));
    for (const run of result.refused) {
      this.logger.warn(
        `The fire of ${JSON.stringify(run.scheduleName)} for ${new Date(run.scheduledAtUnixMs).toISOString()} was dropped: the journal has it already. Was its cursor moved back, or a backup restored?`,
      );
    }
    return { started: result.claimed.length, journaled: result.journaled.length };
  }

  /**
   * How long nothing is due, in ms: until the nearest occurrence by the store's clock, at most `pollInterval`; 0 where
   * there is something to claim.
   */
  async untilDue(): Promise<number> {
    const { storage, registry, slots, storeTime, options } = this.context;
    if (this.unconfirmed !== undefined) {
      return 0;
    }
    if (slots.free <= 0) {
      // Somebody wakes the engine when a slot is free.
      return options.pollInterval;
    }
    if (this.mayHaveLeftSome) {
      return 0;
    }
    const { nowUnixMs, nextDueAtUnixMs, nextResumeAtUnixMs } = await storage.agenda.read(
      registry.names(),
      options.misfireThreshold,
    );
    storeTime.observe(nowUnixMs);
    if (nextResumeAtUnixMs !== undefined && nextResumeAtUnixMs <= nowUnixMs) {
      await this.context.expiredPauses.resumeAll();
      return 0;
    }
    const nextAtUnixMs = Math.min(nextDueAtUnixMs ?? Infinity, nextResumeAtUnixMs ?? Infinity);
    return Math.min(Math.max(0, nextAtUnixMs - nowUnixMs), options.pollInterval);
  }
}
