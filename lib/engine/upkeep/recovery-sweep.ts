import type { TakenOverRun, Storage } from '../../storage/index.js';
import { messageOf } from '../../error-reading.js';
import { codeFacts, StoreLogger } from '../../store-logger.js';
import { PeriodicTask } from '../timing/periodic-task.js';
import type { Vigil } from './vigil.js';

/** What a sweep works with. */
export interface RecoverySweepContext {
  readonly storage: Storage;
  readonly nodeId: string;
  readonly vigil: Vigil;
  readonly abandonedAfterMs: number;
  readonly maxRecoveries: number;
  readonly onTakenOver: (takenOver: readonly TakenOverRun[]) => void;
}

/** Looks regularly for runs whose node stopped heartbeating. Every node sweeps; the first to find a run takes it. */
export class RecoverySweep {
  private readonly logger: StoreLogger;
  private readonly task: PeriodicTask;

  constructor(private readonly context: RecoverySweepContext) {
    this.logger = new StoreLogger({ nodeId: context.nodeId });
    // So often that a crash is noticed well within one and a half times `abandonedAfter`.
    this.task = new PeriodicTask(() => this.sweep(), context.abandonedAfterMs / 4);
  }

  start(): void {
    this.task.start();
  }

  async stop(): Promise<void> {
    await this.task.stop();
  }

  private async sweep(): Promise<void> {
    const { storage, vigil, abandonedAfterMs, maxRecoveries, onTakenOver } = this.context;
    try {
      const takenOver = await storage.staleRuns.sweep({
        abandonedAfterMs,
        maxRecoveries,
        mayTakeOver: (nowUnixMs) => vigil.isComplete(nowUnixMs),
      });
      if (takenOver.length > 0) {
        onTakenOver(takenOver);
      }
    } catch (error) {
      this.logger.warn(`The recovery sweep failed and is tried again: ${messageOf(error)}`, codeFacts(error));
    }
  }
}
