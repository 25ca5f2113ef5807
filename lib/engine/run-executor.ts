import { AsyncLocalStorage } from 'node:async_hooks';
import { RUN_STARTED_EVENT, type RunEventPublisher, runFacts } from '../events/index.js';
import type { JobHandlerRegistry } from '../jobs/index.js';
import type { ClaimedRun, RunOutcome } from '../storage/index.js';
import { ActiveRun, type RunBounds, type Settlement } from './active-run.js';
import type { RunSlots } from './run-slots.js';
import type { StoreTime } from './store-time.js';

/** What the executor works with. */
export interface RunExecutorContext {
  readonly nodeId: string;
  readonly registry: JobHandlerRegistry;
  readonly slots: RunSlots;
  readonly storeTime: StoreTime;
  readonly events: RunEventPublisher;
  /** Bounds of a run; its `timeoutMs` is for schedules without one of their own. */
  readonly defaultBounds: RunBounds;
  readonly onOutcome: (run: ActiveRun, outcome: RunOutcome) => void;
  /** A handler settled and its slot is free. */
  readonly onSlotFree: () => void;
}

/** Executes claimed runs: one slot each, from the claim until the handler has settled. */
export class RunExecutor {
  // Whatever woke the engine up (a request, another run) must not be the context in which handlers run.
  private readonly outsideAnyContext = AsyncLocalStorage.snapshot();

  constructor(private readonly context: RunExecutorContext) {}

  /** Starts a run at once. Never throws, and does not wait. */
  start(claimed: ClaimedRun): void {
    const { slots, storeTime, defaultBounds, events, nodeId } = this.context;
    const bounds = { ...defaultBounds, timeoutMs: claimed.timeoutMs || defaultBounds.timeoutMs };
    const active = new ActiveRun(claimed, storeTime.nowUnixMs(), bounds, (outcome) =>
      this.context.onOutcome(active, outcome),
    );
    slots.occupy(active);
    events.publish(RUN_STARTED_EVENT, { ...runFacts(active.run), nodeId });
    void this.outsideAnyContext(() => this.execute(active));
  }

  private async execute(active: ActiveRun): Promise<void> {
    active.settle(await this.invoke(active));
    this.context.slots.vacate(active);
    this.context.onSlotFree();
  }

  private async invoke(active: ActiveRun): Promise<Settlement> {
    const { registry, nodeId } = this.context;
    const { run, params } = active.claimed;
    try {
      const job = registry.get(run.jobName);
      if (job === undefined) {
        throw new Error(`The job ${JSON.stringify(run.jobName)} is not registered on this node.`);
      }
      await job.execute({
        runId: run.id,
        scheduleId: run.scheduleId,
        scheduleName: run.scheduleName,
        jobName: run.jobName,
        scheduledAtUnixMs: run.scheduledAtUnixMs,
        origin: run.origin,
        attempt: run.attempt,
        idempotencyKey: run.idempotencyKey,
        params,
        signal: active.signal,
        nodeId,
      });
      return { kind: 'returned' };
    } catch (error) {
      return { kind: 'threw', error };
    }
  }
}
