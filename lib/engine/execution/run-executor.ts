import { AsyncLocalStorage } from 'node:async_hooks';
// Imported, not global, so that a test's fake timers do not hold runs back.
import { setImmediate } from 'node:timers';
import { RUN_STARTED_EVENT, type RunEventPublisher } from '../../events/index.js';
import type { ExecutionFacts, JobHandlerRegistry, RunInterceptor } from '../../jobs/index.js';
import type { ClaimedRun, HandlerTransactions, RunOutcome } from '../../storage/index.js';
import type { RunMetrics, RunSpan, RunTracer } from '../../telemetry/index.js';
import { ActiveRun, type RunBounds, type Settlement } from './active-run.js';
import type { RunSlots } from '../claiming/run-slots.js';
import type { StoreTime } from '../timing/store-time.js';
import { TransactionalExecutor } from './transactional-executor.js';

/** What the executor works with. */
export interface RunExecutorContext {
  /** The name of the store. */
  readonly store: string;
  readonly nodeId: string;
  readonly registry: JobHandlerRegistry;
  readonly interceptors: readonly RunInterceptor[];
  readonly handlerTransactions: Pick<HandlerTransactions, 'begin'>;
  readonly slots: RunSlots;
  readonly storeTime: StoreTime;
  readonly events: RunEventPublisher;
  readonly metrics: Pick<RunMetrics, 'started'>;
  readonly tracer: RunTracer;
  /** Bounds of a run; its `timeoutMs` is for schedules without one of their own. */
  readonly defaultBounds: RunBounds;
  /** A run ended, which is to be journaled. */
  readonly onOutcome: (run: ActiveRun, outcome: RunOutcome) => void;
  /** A transactional run ended, which its own transaction has journaled. */
  readonly onCommitted: (run: ActiveRun, outcome: RunOutcome) => void;
  /** A handler settled and its slot is free. */
  readonly onSlotFree: () => void;
}

/** Executes claimed runs: one slot each, from the claim until the handler has settled. */
export class RunExecutor {
  // Whatever woke the engine up (a request, another run) must not be the context in which handlers run.
  private readonly outsideAnyContext = AsyncLocalStorage.snapshot();

  private readonly transactional: TransactionalExecutor;

  constructor(private readonly context: RunExecutorContext) {
    this.transactional = new TransactionalExecutor(context.handlerTransactions, context.nodeId);
  }

  /** Starts a run at once. Never throws, and does not wait. */
  start(claimed: ClaimedRun): void {
    const { slots, storeTime, defaultBounds, events, metrics, tracer, nodeId } = this.context;
    const bounds = { ...defaultBounds, timeoutMs: claimed.timeoutMs || defaultBounds.timeoutMs };
    const span = tracer.start(claimed.run);
    const active = new ActiveRun(claimed, storeTime.nowUnixMs(), bounds, (outcome) => {
      span.end(outcome);
      const { traceParent } = span;
      this.context.onOutcome(active, traceParent === undefined ? outcome : { ...outcome, traceParent });
    });
    if (span.isRecording) {
      // What ends without an outcome, which comes in the same turn, was taken over.
      active.over.addEventListener('abort', () => queueMicrotask(() => span.endTakenOver()), { once: true });
    }
    slots.occupy(active);
    metrics.started(active.run, active.startedAtUnixMs);
    events.publish(RUN_STARTED_EVENT, active.run, { nodeId });
    // Only in the next turn, so that the next claim is under way while the handlers of this one work.
    setImmediate(() => void this.outsideAnyContext(() => this.execute(active, span)));
  }

  private async execute(active: ActiveRun, span: RunSpan): Promise<void> {
    const settlement = await span.around(() => this.invoke(active));
    if (settlement.kind === 'threw') {
      span.noteError(settlement.error);
    }
    const { isOver } = active;
    active.settle(settlement);
    // Where it was over before, its outcome is on its way to the journal, which has the better one.
    if (settlement.kind === 'committed' && !isOver) {
      span.end(settlement.outcome);
      this.context.onCommitted(active, settlement.outcome);
    }
    this.context.slots.vacate(active);
    this.context.onSlotFree();
  }

  private async invoke(active: ActiveRun): Promise<Settlement> {
    const { registry, interceptors } = this.context;
    const { run } = active;
    try {
      const job = registry.get(run.jobName);
      if (job === undefined) {
        throw new Error(`The job ${JSON.stringify(run.jobName)} is not registered on this node.`);
      }
      const facts = factsOf(active, this.context);
      switch (job.kind) {
        case 'plain':
          await job.execute(facts, interceptors);
          return { kind: 'returned' };
        case 'transactional':
          return await this.transactional.execute(active, (manager) =>
            job.execute(facts, manager, interceptors),
          );
      }
    } catch (error) {
      return { kind: 'threw', error };
    }
  }
}

function factsOf(
  { run, claimed, cancellation }: ActiveRun,
  { store, nodeId }: Pick<RunExecutorContext, 'store' | 'nodeId'>,
): ExecutionFacts {
  return {
    store,
    runId: run.id,
    scheduleId: run.scheduleId,
    scheduleName: run.scheduleName,
    jobName: run.jobName,
    scheduledAtUnixMs: run.scheduledAtUnixMs,
    occurrenceAtUnixMs: run.occurrenceAtUnixMs,
    origin: run.origin,
    attempt: run.attempt,
    fence: claimed.fence,
    idempotencyKey: run.idempotencyKey,
    params: claimed.params,
    abort: cancellation,
    nodeId,
  };
}
