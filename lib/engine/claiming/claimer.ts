import type { JobHandlerRegistry } from '../../jobs/index.js';
import type { ExpiredPauses } from '../../manager/index.js';
import type { ResolvedOptions } from '../../options/index.js';
import { ClaimUnconfirmedError, type ClaimResult, type Storage } from '../../storage/index.js';
import { StoreLogger } from '../../store-logger.js';
import type { ClaimNotifier } from './claim-notifier.js';
import { runLogFacts } from '../execution/run-log-facts.js';
import type { RunSlots } from './run-slots.js';
import type { StoreTime } from '../timing/store-time.js';
import type { Vigil } from '../upkeep/vigil.js';

/** What one pass of the engine did. */
export interface PassResult {
  /** Runs claimed and started on this node. */
  readonly started: number;
  /** Runs journaled without being executed: missed, skipped, or failed because their schedule is unreadable. */
  readonly journaled: number;
}

/** What one claim did, and what follows from it. */
export interface ClaimPass extends PassResult {
  /** Whether it took as much as it could, so that more may be due. */
  readonly mayHaveMore: boolean;
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

/** A claim, and the slots that are kept for what it starts. */
interface ReservedClaim {
  readonly result: ClaimResult;
  readonly reserved: number;
}

/**
 * Until the next look at a pause that has expired. Who ends it wakes the nodes; nobody does where its schedule is locked
 * by somebody who does not change it, or where nodes do not listen.
 */
const EXPIRED_PAUSE_RETRY_MS = 1_000;

/** A pass that found nothing to do. */
export const EMPTY_PASS: ClaimPass = { started: 0, journaled: 0, mayHaveMore: false };

/** Claims what is due, and knows when to look again. */
export class Claimer {
  private readonly logger: StoreLogger;
  private readonly unconfirmed: ReservedClaim[] = [];
  /** At most one at a time. */
  private endingOfPauses: Promise<void> | undefined;

  constructor(private readonly context: ClaimerContext) {
    this.logger = new StoreLogger({ nodeId: context.nodeId });
  }

  /** Claims once and hands the runs over to be started. */
  async claim(): Promise<ClaimPass> {
    const unconfirmed = this.unconfirmed.shift();
    if (unconfirmed !== undefined) {
      return this.confirm(unconfirmed);
    }
    const { storage, nodeId, registry, slots, vigil, options, notifier } = this.context;
    const jobNames = registry.names();
    // Reserved, so that claims side by side do not count on the same slots.
    const reserved = jobNames.length === 0 ? 0 : slots.reserve(options.batchSize);
    if (reserved === 0) {
      return EMPTY_PASS;
    }
    notifier.beforeClaim({ jobNames, slots: reserved });
    let result: ClaimResult;
    try {
      result = await storage.claims.claim({
        nodeId,
        jobNames,
        slots: reserved,
        misfireThresholdMs: options.misfireThreshold,
        abandonedAfterMs: options.abandonedAfter,
        maxRecoveries: options.maxRecoveries,
        mayTakeOver: (nowUnixMs) => vigil.isComplete(nowUnixMs),
      });
    } catch (error) {
      if (error instanceof ClaimUnconfirmedError) {
        this.unconfirmed.push({ result: error.result, reserved });
      } else {
        slots.release(reserved);
      }
      throw error;
    }
    return this.begin({ result, reserved });
  }

  /** A claim that committed unanswered is this node's to start: nobody else would, before its runs look abandoned. */
  private async confirm(unconfirmed: ReservedClaim): Promise<ClaimPass> {
    let result: ClaimResult;
    try {
      result = await this.context.storage.claims.confirm(unconfirmed.result);
    } catch (error) {
      this.unconfirmed.push(unconfirmed);
      throw error;
    }
    return this.begin({ result, reserved: unconfirmed.reserved });
  }

  private begin({ result, reserved }: ReservedClaim): ClaimPass {
    const { slots, notifier, onClaimed } = this.context;
    slots.release(reserved);
    onClaimed(result);
    notifier.afterClaim(result.claimed.map(({ run }) => run));
    for (const run of result.refused) {
      this.logger.warn(
        `The fire of ${JSON.stringify(run.scheduleName)} for ${new Date(run.scheduledAtUnixMs).toISOString()} was dropped: the journal has it already. Was its cursor moved back, or a backup restored?`,
        runLogFacts(run),
      );
    }
    const [started, journaled] = [result.claimed.length, result.journaled.length];
    return { started, journaled, mayHaveMore: started + journaled >= reserved };
  }

  /**
   * How long nothing is due, in ms: until the nearest occurrence by the store's clock, at most `pollInterval`; 0 where
   * there is something to claim. Undefined where no slot is free, so that the database is not asked: somebody wakes the
   * engine when one is.
   */
  async untilDue(): Promise<number | undefined> {
    const { storage, registry, slots, storeTime, options } = this.context;
    if (this.unconfirmed.length > 0) {
      return 0;
    }
    if (slots.free <= 0) {
      return undefined;
    }
    const { nowUnixMs, nextDueAtUnixMs, nextResumeAtUnixMs } = await storage.agenda.read(
      registry.names(),
      options.misfireThreshold,
    );
    storeTime.observe(nowUnixMs);
    const untilDueMs = Math.max(0, (nextDueAtUnixMs ?? Infinity) - nowUnixMs);
    const untilResumeMs = (nextResumeAtUnixMs ?? Infinity) - nowUnixMs;
    if (untilResumeMs > 0) {
      return Math.min(untilDueMs, untilResumeMs, options.pollInterval);
    }
    this.endPauses();
    return Math.min(untilDueMs, EXPIRED_PAUSE_RETRY_MS, options.pollInterval);
  }

  /** Resolves when nothing that was begun here goes on beside the claims. */
  async settle(): Promise<void> {
    await this.endingOfPauses;
  }

  /** Beside the claims, which must not wait for the connections of changes, and for nothing that these wait for. */
  private endPauses(): void {
    this.endingOfPauses ??= this.context.expiredPauses.endSome().finally(() => {
      this.endingOfPauses = undefined;
    });
  }
}
