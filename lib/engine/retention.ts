import { Logger } from '@nestjs/common';
import type { Storage } from '../storage/index.js';
import { PeriodicTask } from './periodic-task.js';

const SWEEP_INTERVAL_MS = 60 * 60 * 1_000;

/** Cleans up every hour: old runs where the journal is bounded, and what crashed or deleted things left behind. */
export class Retention {
  private readonly logger = new Logger(Retention.name);
  private readonly task = new PeriodicTask(() => this.sweep(), SWEEP_INTERVAL_MS);
  private isStopped = false;

  /** @param periods how long terminal runs and audit records are kept; 0 keeps them for ever. */
  constructor(
    private readonly storage: Storage,
    private readonly periods: { readonly runsMs: number; readonly auditMs: number },
  ) {}

  start(): void {
    this.task.start();
  }

  async stop(): Promise<void> {
    this.isStopped = true;
    await this.task.stop();
  }

  private async sweep(): Promise<void> {
    const { retention } = this.storage;
    try {
      await this.prune(this.periods.runsMs, (periodMs) => retention.pruneRuns(periodMs));
      await this.prune(this.periods.auditMs, (periodMs) => retention.pruneAudit(periodMs));
      await retention.forgetDeadNodes();
      await retention.forgetUnusedNames();
    } catch (error) {
      this.logger.warn(`Pruning failed and is tried again in an hour: ${String(error)}`);
    }
  }

  /** One bounded batch after the other, until nothing is left or the engine stops. */
  private async prune(periodMs: number, pruneBatch: (periodMs: number) => Promise<boolean>): Promise<void> {
    let mayBeMore = periodMs > 0;
    while (mayBeMore && !this.isStopped) {
      mayBeMore = await pruneBatch(periodMs);
    }
  }
}
