import type { ResolvedOptions } from '../../options/index.js';
import type { PrunedTables, Storage } from '../../storage/index.js';
import { messageOf } from '../../error-reading.js';
import { codeFacts, StoreLogger } from '../../store-logger.js';
import { PeriodicTask } from '../timing/periodic-task.js';

const SWEEP_INTERVAL_MS = 60 * 60 * 1_000;

/** How long, and how much of it, the store keeps what is over. */
export type RetentionTerms = Pick<
  ResolvedOptions,
  'runRetention' | 'failedRunRetention' | 'runRetentionPerSchedule' | 'auditRetention'
>;

/** The tables of which a process with these options deletes old rows. A process that only manages deletes nothing. */
export function prunedTables({
  execute,
  runRetention,
  runRetentionPerSchedule,
  auditRetention,
}: ResolvedOptions): PrunedTables {
  return {
    runs: execute && (runRetention > 0 || runRetentionPerSchedule > 0),
    audit: execute && auditRetention > 0,
  };
}

/** Cleans up every hour: old runs where the journal is bounded, and what crashed or deleted things left behind. */
export class Retention {
  private readonly logger: StoreLogger;
  private readonly task = new PeriodicTask(() => this.sweep(), SWEEP_INTERVAL_MS);
  private isStopped = false;

  constructor(
    private readonly storage: Storage,
    private readonly terms: RetentionTerms,
    nodeId: string,
  ) {
    this.logger = new StoreLogger({ nodeId });
  }

  start(): void {
    this.task.start();
  }

  async stop(): Promise<void> {
    this.isStopped = true;
    await this.task.stop();
  }

  private async sweep(): Promise<void> {
    const { retention } = this.storage;
    const { runRetention, runRetentionPerSchedule, auditRetention } = this.terms;
    try {
      if (!(await this.storage.environment.isOursNow())) {
        return;
      }
      if (runRetention > 0) {
        await this.pruneRunsByAge();
      }
      if (runRetentionPerSchedule > 0) {
        await this.pruneRunsByCount();
      }
      if (auditRetention > 0) {
        await this.inBatches((after) => retention.pruneAudit(auditRetention, after));
      }
      await retention.forgetDeadNodes();
      await retention.forgetUnusedNames();
    } catch (error) {
      this.logger.warn(`Pruning failed and is tried again in an hour: ${messageOf(error)}`, codeFacts(error));
    }
  }

  private async pruneRunsByAge(): Promise<void> {
    const periods = { retentionMs: this.terms.runRetention, failedMs: this.terms.failedRunRetention };
    await this.inBatches((after) => this.storage.retention.pruneRunsByAge(periods, after));
  }

  private async pruneRunsByCount(): Promise<void> {
    const { retention } = this.storage;
    const { runRetentionPerSchedule, failedRunRetention } = this.terms;
    await this.inBatches(async (afterSchedule) => {
      const { excesses, next } = await retention.findExcess(runRetentionPerSchedule, afterSchedule);
      for (const excess of excesses) {
        await this.inBatches((after) => retention.pruneExcess(excess, failedRunRetention, after));
      }
      return next;
    });
  }

  /**
   * One bounded batch after the other, until nothing is left or the engine stops.
   *
   * @param batch goes on after a place, and returns the next; undefined after the last.
   */
  private async inBatches(batch: (after: string | undefined) => Promise<string | undefined>): Promise<void> {
    let after: string | undefined;
    let isDone = false;
    while (!isDone && !this.isStopped) {
      after = await batch(after);
      isDone = after === undefined;
    }
  }
}
