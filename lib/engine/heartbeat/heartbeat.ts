import type { NodeDescription, Storage } from '../../storage/index.js';
import { messageOf } from '../../error-reading.js';
import { codeFacts, StoreLogger } from '../../store-logger.js';
import type { ActiveRun } from '../execution/active-run.js';
import type { HeartbeatThread } from './heartbeat-thread.js';
import { PeriodicTask } from '../timing/periodic-task.js';
import { runLogFacts } from '../execution/run-log-facts.js';
import type { RunSlots } from '../claiming/run-slots.js';
import type { StoreTime } from '../timing/store-time.js';
import type { Vigil } from '../upkeep/vigil.js';

/** What a heartbeat works with. */
export interface HeartbeatContext {
  readonly storage: Storage;
  readonly node: NodeDescription;
  readonly slots: RunSlots;
  /** Runs whose outcome waits for the database: they are not to look abandoned meanwhile. */
  readonly endedRuns: () => Iterable<ActiveRun>;
  readonly vigil: Vigil;
  readonly storeTime: StoreTime;
  readonly intervalMs: number;
  /** Stands in while the event loop is blocked; absent where nothing does. */
  readonly thread: Pick<HeartbeatThread, 'onBeat' | 'stop'> | undefined;
}

/** Keeps this node and its runs alive in the store, and finds out which of them were taken over. */
export class Heartbeat {
  private readonly logger: StoreLogger;
  private readonly task: PeriodicTask;
  private hasFailed = false;

  constructor(private readonly context: HeartbeatContext) {
    this.logger = new StoreLogger({ nodeId: context.node.id });
    this.task = new PeriodicTask(() => this.beat(), context.intervalMs);
  }

  /** Whether the last heartbeat failed. */
  get isFailing(): boolean {
    return this.hasFailed;
  }

  start(): void {
    this.task.start();
  }

  /** Beats now: some run may have been asked to end. */
  wake(): void {
    this.task.wake();
  }

  async stop(): Promise<void> {
    await this.task.stop();
    await this.context.thread?.stop();
  }

  private async beat(): Promise<void> {
    const { storage, node, slots, endedRuns, vigil, storeTime, thread } = this.context;
    const runs = [...slots.active, ...endedRuns()];
    try {
      const { nowUnixMs, aliveIds, cancelReasons } = await storage.heartbeats.beat(
        node,
        slots.taken,
        runs.map(({ run, startedAtUnixMs }) => ({ id: run.id, startedAtUnixMs })),
      );
      thread?.onBeat(this.hasFailed ? 'failed' : 'succeeded');
      storeTime.observe(nowUnixMs);
      vigil.onBeat(nowUnixMs);
      // A run that ended meanwhile is over here too, or about to be where its commit is under way; any other that is not
      // ours any more was taken over.
      const open = runs.filter((active) => !active.isOver && !active.isBeingCommitted);
      for (const lost of open.filter(({ run }) => !aliveIds.has(run.id))) {
        this.logger.warn(
          `The run ${lost.run.id} of ${JSON.stringify(lost.run.scheduleName)} was taken over by another node.`,
          runLogFacts(lost.run),
        );
        lost.onTakenOver();
        slots.notifyWhenNoneActive();
      }
      for (const active of runs) {
        const reason = cancelReasons.get(active.run.id);
        if (reason !== undefined) {
          active.cancel(reason);
        }
      }
      if (this.hasFailed) {
        this.logger.log('The heartbeat works again.');
      }
      this.hasFailed = false;
    } catch (error) {
      vigil.onFailure();
      if (!this.hasFailed) {
        this.logger.warn(`The heartbeat failed and is tried again: ${messageOf(error)}`, codeFacts(error));
      }
      this.hasFailed = true;
    }
  }
}
