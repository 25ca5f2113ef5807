import type { RunEventPublisher } from '../events/index.js';
import type { NodeDescription, Storage } from '../storage/index.js';
import { messageOf } from '../error-reading.js';
import { codeFacts, StoreLogger } from '../store-logger.js';
import type { RunMetrics, StoreGauges } from '../telemetry/index.js';
import type { PassResult } from './claiming/claimer.js';
import type { Poller } from './claiming/poller.js';
import type { RunSlots } from './claiming/run-slots.js';
import type { WakeUps } from './claiming/wake-ups.js';
import type { EngineFault } from './engine-status.js';
import type { OutcomeWriter } from './execution/outcome-writer.js';
import type { Heartbeat } from './heartbeat/heartbeat.js';
import { waitAtMost } from './timing/long-timer.js';
import type { RecoverySweep } from './upkeep/recovery-sweep.js';
import type { Retention } from './upkeep/retention.js';

/**
 * How long shutdown waits for a pass under way, for the database to take the last outcomes, and for the last listeners
 * of events, each.
 */
export const LAST_WORDS_MS = 5_000;

/** What a node is made of. */
export interface EngineNodeParts {
  readonly storage: Storage;
  /** What the node tells the store of itself, as it is at each reading. */
  readonly description: NodeDescription;
  readonly slots: RunSlots;
  readonly poller: Poller;
  readonly wakeUps: WakeUps;
  readonly outcomes: OutcomeWriter;
  readonly heartbeat: Heartbeat;
  readonly sweep: RecoverySweep;
  readonly retention: Retention;
  readonly gauges: StoreGauges;
  readonly metrics: RunMetrics;
  readonly events: RunEventPublisher;
  /** How long running handlers may go on when the node stops, in ms. */
  readonly shutdownTimeoutMs: number;
}

/** One node, from its registration to its good-bye. */
export class EngineNode {
  private readonly logger: StoreLogger;

  constructor(private readonly parts: EngineNodeParts) {
    this.logger = new StoreLogger({ nodeId: this.id });
  }

  /** As runs name it. */
  get id(): string {
    return this.parts.description.id;
  }

  get slots(): RunSlots {
    return this.parts.slots;
  }

  get poller(): Poller {
    return this.parts.poller;
  }

  /** What fails at the moment, and is tried again. */
  get faults(): readonly EngineFault[] {
    const { poller, heartbeat, outcomes } = this.parts;
    const duties: readonly (readonly [EngineFault, boolean])[] = [
      ['environment_mismatch', poller.fault === 'environment_mismatch'],
      ['claim_failed', poller.fault === 'claim_failed'],
      ['heartbeat_failed', heartbeat.isFailing],
      ['outcome_failed', outcomes.isFailing],
    ];
    return duties.filter(([, isFailing]) => isFailing).map(([fault]) => fault);
  }

  /** Registers the node with its jobs, and keeps it alive from here on. Nothing is claimed before `start`. */
  async register(): Promise<void> {
    const { storage, description, heartbeat } = this.parts;
    await storage.heartbeats.beat(description, 0, []);
    heartbeat.start();
  }

  /**
   * Tells the other nodes of jobs that were registered meanwhile. A heartbeat that is under way may cover that up, until
   * the next.
   */
  async announceJobs(jobNames: readonly string[]): Promise<void> {
    const { storage, description, slots, metrics } = this.parts;
    metrics.watch(jobNames);
    await storage.heartbeats.beat(description, slots.taken, []);
  }

  start(): void {
    const { sweep, retention, poller, gauges, wakeUps } = this.parts;
    sweep.start();
    retention.start();
    poller.start();
    gauges.start();
    wakeUps.open();
  }

  /** Claims once, now. */
  async runOnce(): Promise<PassResult> {
    return this.poller.runOnce();
  }

  /**
   * Waits until every pass that the journal may show has started its runs, and lets listeners hear what this node has to
   * tell of these.
   *
   * @returns whether that is all: how a run ended is told when the answer to its record in the journal has come.
   */
  async tellOf(runIds: ReadonlySet<string>): Promise<boolean> {
    const { poller, slots, outcomes, events } = this.parts;
    await poller.untilPassed();
    events.emitPending();
    return !outcomes.holdsAny(runIds) && !slots.active.some(({ run }) => runIds.has(run.id));
  }

  /**
   * Stops claiming, lets running handlers finish for `shutdownTimeout`, then aborts them and gives them `abortGrace`,
   * and journals how they ended. Heartbeats go on, so that no other node takes a run over that is still finishing.
   */
  async drain(): Promise<void> {
    const { slots, outcomes, events, shutdownTimeoutMs } = this.parts;
    const passesEnded = this.stopPasses();
    const { length } = slots.active;
    if (length > 0) {
      this.logger.log(`Draining for up to ${shutdownTimeoutMs} ms; runs left: ${length}.`);
    }
    await waitAtMost(
      shutdownTimeoutMs,
      passesEnded.then(() => slots.untilNoneActive()),
    );
    this.cancelActive();
    // A claim that was under way may have started more.
    await passesEnded;
    this.cancelActive();
    await slots.untilNoneActive();
    await outcomes.close(LAST_WORDS_MS);
    await waitAtMost(LAST_WORDS_MS, events.flush());
  }

  /** Says good-bye, as well as the database allows: never rejects. The node must be drained, or not have been started. */
  async leave(): Promise<void> {
    const { storage, gauges, wakeUps, heartbeat } = this.parts;
    try {
      gauges.stop();
      wakeUps.close();
      await heartbeat.stop();
      await storage.heartbeats.leave(this.id);
    } catch (error) {
      this.logger.warn(
        `The node could not say good-bye to the database: ${messageOf(error)}`,
        codeFacts(error),
      );
    }
  }

  /** Nothing starts after this. A pass to which the database does not answer fails: what it would claim nobody would execute. */
  private async stopPasses(): Promise<void> {
    const { storage, poller, sweep, retention } = this.parts;
    const stopped = Promise.all([poller.stop(), sweep.stop(), retention.stop()]);
    if (!(await waitAtMost(LAST_WORDS_MS, stopped))) {
      storage.connections.interrupt('engine');
    }
  }

  private cancelActive(): void {
    this.slots.active.forEach((run) => run.cancel('shutdown'));
  }
}
