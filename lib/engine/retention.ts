import { Logger } from '@nestjs/common';
import type { Storage } from '../storage/index.js';
import { PeriodicTask } from './periodic-task.js';

const SWEEP_INTERVAL_MS = 60 * 60 * 1_000;

/** Cleans up every hour: old runs where the journal is bounded, and what crashed or deleted things left behind. */
export class Retention {
  private readonly logger = new Logger(Retention.name);
  private readonly task = new PeriodicTask(() => this.sweep(), SWEEP_INTERVAL_MS);
  private isStopped = false;

  /** @param runRetentionMs how long terminal runs are kept; 0 keeps them for ever. */
  constructor(
    private readonly storage: Storage,
    private readonly runRetentionMs: number,
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
      if (this.runRetentionMs > 0) {
        while (!this.isStopped && (await retention.pruneBatch(this.runRetentionMs))) {
          // One bounded batch after the other.
        }
      }
      await retention.forgetDeadNodes();
      await retention.forgetUnusedNames();
    } catch (error) {
      this.logger.warn(`Pruning the journal failed and is tried again in an hour: ${String(error)}`);
    }
  }
}
