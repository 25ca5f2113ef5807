import { metrics, trace } from '@opentelemetry/api';
import type { RunEventPublisher } from '../events/index.js';
import type { ClaimObserver, JobHandlerRegistry, RunInterceptor } from '../jobs/index.js';
import type { ExpiredPauses } from '../manager/index.js';
import type { ResolvedOptions } from '../options/index.js';
import type {
  TakenOverRun,
  ClaimResult,
  HeardWakeUp,
  NodeDescription,
  RunOutcome,
  Storage,
  WakeUpListener,
} from '../storage/index.js';
import { codeFacts, messageOf, StoreLogger } from '../store-logger.js';
import { INSTRUMENTATION_SCOPE, RunMetrics, RunTracer, StoreGauges } from '../telemetry/index.js';
import type { ActiveRun } from './execution/active-run.js';
import { ClaimNotifier } from './claiming/claim-notifier.js';
import { Claimer, type PassResult } from './claiming/claimer.js';
import type { EngineFault } from './engine-status.js';
import { Heartbeat } from './heartbeat/heartbeat.js';
import { waitAtMost } from './timing/long-timer.js';
import { PACKAGE_VERSION } from './package-version.js';
import { createNodeIdentity } from './node-identity.js';
import { OutcomeWriter, type JournaledOutcome } from './execution/outcome-writer.js';
import { Poller } from './claiming/poller.js';
import { RecoverySweep } from './upkeep/recovery-sweep.js';
import { Retention } from './upkeep/retention.js';
import { RunAnnouncer } from './execution/run-announcer.js';
import { RunExecutor } from './execution/run-executor.js';
import { runLogFacts } from './execution/run-log-facts.js';
import { RunSlots } from './claiming/run-slots.js';
import { createHeartbeatThread } from './heartbeat/create-heartbeat-thread.js';
import { StoreTime } from './timing/store-time.js';
import { Vigil } from './upkeep/vigil.js';

/**
 * How long shutdown waits for a pass under way, for the database to take the last outcomes, and for the last listeners
 * of events, each.
 */
export const LAST_WORDS_MS = 5_000;

/** What a node is made of. */
export interface EngineNodeContext {
  readonly storage: Storage;
  readonly options: ResolvedOptions;
  readonly registry: JobHandlerRegistry;
  readonly interceptors: readonly RunInterceptor[];
  readonly claimObservers: readonly ClaimObserver[];
  readonly events: RunEventPublisher;
  readonly expiredPauses: ExpiredPauses;
}

/** One running node: its parts, and how they tell each other what happened. */
export class EngineNode {
  readonly identity = createNodeIdentity();
  readonly slots: RunSlots;
  readonly poller: Poller;
  private readonly logger = new StoreLogger({ nodeId: this.identity.id });
  private readonly description: NodeDescription;
  private readonly executor: RunExecutor;
  private readonly outcomes: OutcomeWriter;
  private readonly heartbeat: Heartbeat;
  private readonly sweep: RecoverySweep;
  private readonly retention: Retention;
  private readonly announcer: RunAnnouncer;
  private readonly gauges: StoreGauges;
  private readonly metrics: RunMetrics;
  private readonly listener: WakeUpListener | undefined;
  /** Runs whose outcome is decided and not journaled yet. */
  private readonly endedRuns = new Map<string, ActiveRun>();

  constructor(private readonly context: EngineNodeContext) {
    const { storage, options, registry, events } = context;
    const { id: nodeId } = this.identity;
    const storeTime = new StoreTime();
    const vigil = new Vigil(options.heartbeatInterval, options.abandonedAfter);
    this.slots = new RunSlots(options.maxConcurrent);
    this.description = {
      ...this.identity,
      // Of the moment: jobs may be registered while the node runs.
      get jobNames() {
        return registry.names();
      },
      slots: this.slots.size,
      version: PACKAGE_VERSION,
    };
    const meter = metrics.getMeter(INSTRUMENTATION_SCOPE, PACKAGE_VERSION);
    this.metrics = new RunMetrics(meter, { store: options.name, schema: options.schema }, registry.names());
    this.gauges = new StoreGauges(meter, {
      store: options.name,
      schema: options.schema,
      slots: () => this.slots.use,
      load: () => storage.load.read(options.abandonedAfter),
    });
    this.announcer = new RunAnnouncer(events, nodeId, this.metrics);
    this.executor = new RunExecutor({
      store: options.name,
      nodeId,
      registry,
      interceptors: context.interceptors,
      handlerTransactions: storage.handlerTransactions,
      slots: this.slots,
      storeTime,
      events,
      metrics: this.metrics,
      tracer: new RunTracer(trace.getTracer(INSTRUMENTATION_SCOPE, PACKAGE_VERSION), {
        store: options.name,
        nodeId,
      }),
      defaultBounds: { timeoutMs: options.runTimeout, abortGraceMs: options.abortGrace },
      onOutcome: (run, outcome) => this.onOutcome(run, outcome),
      onCommitted: (run, outcome) => this.onCommitted(run, outcome),
      onSlotFree: () => this.poller.wake(),
    });
    this.outcomes = new OutcomeWriter(storage.outcomes, nodeId, {
      onJournaled: (journaled) => this.onJournaled(journaled),
      onRefused: (outcome) => this.onRefused(outcome),
    });
    this.heartbeat = new Heartbeat({
      storage,
      node: this.description,
      slots: this.slots,
      endedRuns: () => this.endedRuns.values(),
      vigil,
      storeTime,
      intervalMs: options.heartbeatInterval,
      thread: createHeartbeatThread(storage, options, nodeId),
    });
    this.sweep = new RecoverySweep({
      storage,
      nodeId,
      vigil,
      abandonedAfterMs: options.abandonedAfter,
      maxRecoveries: options.maxRecoveries,
      onTakenOver: (takenOver) => this.onTakenOver(takenOver),
    });
    this.retention = new Retention(storage, options, nodeId);
    const claimer = new Claimer({
      storage,
      nodeId,
      registry,
      slots: this.slots,
      vigil,
      storeTime,
      options,
      expiredPauses: context.expiredPauses,
      notifier: new ClaimNotifier(context.claimObservers, { store: options.name, nodeId }),
      onClaimed: (result) => this.onClaimed(result),
    });
    this.poller = new Poller(claimer, options.pollInterval, this.logger);
    this.listener = storage.createListener({
      onWakeUp: (kind) => this.onWakeUp(kind),
      onLost: (error) =>
        this.logger.warn(
          `The connection for wake-ups was lost, polling serves meanwhile: ${messageOf(error)}`,
          codeFacts(error),
        ),
    });
  }

  /** What fails at the moment, and is tried again. */
  get faults(): readonly EngineFault[] {
    const duties: readonly (readonly [EngineFault, boolean])[] = [
      ['environment_mismatch', this.poller.fault === 'environment_mismatch'],
      ['claim_failed', this.poller.fault === 'claim_failed'],
      ['heartbeat_failed', this.heartbeat.isFailing],
      ['outcome_failed', this.outcomes.isFailing],
    ];
    return duties.filter(([, isFailing]) => isFailing).map(([fault]) => fault);
  }

  /** Registers the node with its jobs, and keeps it alive from here on. Nothing is claimed before `start`. */
  async register(): Promise<void> {
    await this.context.storage.heartbeats.beat(this.description, 0, []);
    this.heartbeat.start();
  }

  /**
   * Tells the other nodes of jobs that were registered meanwhile. A heartbeat that is under way may cover that up, until
   * the next.
   */
  async announceJobs(jobNames: readonly string[]): Promise<void> {
    this.metrics.watch(jobNames);
    await this.context.storage.heartbeats.beat(this.description, this.slots.taken, []);
  }

  start(): void {
    this.sweep.start();
    this.retention.start();
    this.poller.start();
    this.gauges.start();
    void this.listener?.open();
  }

  /** Claims once, now. */
  async runOnce(): Promise<PassResult> {
    return this.poller.runOnce();
  }

  /**
   * Stops claiming, lets running handlers finish for `shutdownTimeout`, then aborts them and gives them `abortGrace`,
   * and journals how they ended. Heartbeats go on, so that no other node takes a run over that is still finishing.
   */
  async drain(): Promise<void> {
    const { options, events } = this.context;
    const passesEnded = this.stopPasses();
    const { length } = this.slots.active;
    if (length > 0) {
      this.logger.log(`Draining for up to ${options.shutdownTimeout} ms; runs left: ${length}.`);
    }
    await waitAtMost(
      options.shutdownTimeout,
      passesEnded.then(() => this.slots.untilNoneActive()),
    );
    this.cancelActive();
    // A claim that was under way may have started more.
    await passesEnded;
    this.cancelActive();
    await this.slots.untilNoneActive();
    await this.outcomes.close(LAST_WORDS_MS);
    await waitAtMost(LAST_WORDS_MS, events.flush());
  }

  /** Nothing starts after this. A pass to which the database does not answer fails: what it would claim nobody would execute. */
  private async stopPasses(): Promise<void> {
    const stopped = Promise.all([this.poller.stop(), this.sweep.stop(), this.retention.stop()]);
    if (!(await waitAtMost(LAST_WORDS_MS, stopped))) {
      this.context.storage.connections.interrupt('engine');
    }
  }

  private cancelActive(): void {
    this.slots.active.forEach((run) => run.cancel('shutdown'));
  }

  /** Says good-bye. The node must be drained, or not have been started. */
  async leave(): Promise<void> {
    this.gauges.stop();
    this.listener?.close();
    await this.heartbeat.stop();
    await this.context.storage.heartbeats.leave(this.identity.id);
  }

  private onWakeUp(kind: HeardWakeUp): void {
    switch (kind) {
      case 'claim':
        this.poller.wake();
        break;
      case 'cancel':
        this.heartbeat.wake();
        break;
      case 'unknown':
        this.poller.wake();
        this.heartbeat.wake();
        break;
    }
  }

  private onClaimed({ claimed, journaled, takenOver }: ClaimResult): void {
    claimed.forEach((run) => this.executor.start(run));
    journaled.forEach((run) => this.announcer.journaled(run));
    takenOver.forEach((run) => this.announcer.takenOver(run));
  }

  private onTakenOver(takenOver: readonly TakenOverRun[]): void {
    takenOver.forEach((run) => this.announcer.takenOver(run));
    this.poller.wake();
  }

  private onOutcome(active: ActiveRun, outcome: RunOutcome): void {
    this.endedRuns.set(outcome.runId, active);
    this.outcomes.add(outcome);
    this.slots.notifyWhenNoneActive();
  }

  private onCommitted({ run }: ActiveRun, outcome: RunOutcome): void {
    this.announcer.ended(run, outcome, false);
    this.slots.notifyWhenNoneActive();
    this.poller.wake();
  }

  private onJournaled({ outcome, willRepeat }: JournaledOutcome): void {
    const active = this.forgetEnded(outcome);
    if (active !== undefined) {
      this.announcer.ended(active.run, outcome, willRepeat, active.thrown);
    }
    // What waited for this run to end can be claimed now.
    this.poller.wake();
  }

  private onRefused(outcome: RunOutcome): void {
    const run = this.forgetEnded(outcome)?.run;
    this.logger.warn(
      `The run ${outcome.runId} of ${JSON.stringify(run?.scheduleName)} ended ${outcome.status} after it was taken over; the journal keeps it as abandoned.`,
      run === undefined ? {} : runLogFacts(run),
    );
  }

  private forgetEnded({ runId }: RunOutcome): ActiveRun | undefined {
    const active = this.endedRuns.get(runId);
    this.endedRuns.delete(runId);
    return active;
  }
}
