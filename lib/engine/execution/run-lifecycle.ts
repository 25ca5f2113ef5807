import type { ClaimResult, RunOutcome, Storage, TakenOverRun } from '../../storage/index.js';
import { StoreLogger } from '../../store-logger.js';
import type { ActiveRun } from './active-run.js';
import { OutcomeWriter, type JournaledOutcome } from './outcome-writer.js';
import type { RunAnnouncer } from './run-announcer.js';
import { RunExecutor, type RunExecutorContext } from './run-executor.js';
import { runLogFacts } from './run-log-facts.js';

/** What the runs of a node meet on their way. */
export interface RunLifecycleContext {
  /** What they are executed with. */
  readonly execution: Omit<RunExecutorContext, 'onOutcome' | 'onCommitted' | 'onSlotFree'>;
  /** Where it is journaled how they ended. */
  readonly outcomeStore: Pick<Storage['outcomes'], 'write'>;
  readonly announcer: RunAnnouncer;
  /** Something may be claimed that could not be before: a slot is free, or what waited for a run waits no more. */
  readonly onMayClaim: () => void;
}

/** The way of the runs on this node: who hears of each step, from the claim to the record in the journal. */
export class RunLifecycle {
  readonly outcomes: OutcomeWriter;
  private readonly logger: StoreLogger;
  private readonly executor: RunExecutor;
  /** Runs whose outcome is decided and not journaled yet. */
  private readonly ended = new Map<string, ActiveRun>();

  constructor(private readonly context: RunLifecycleContext) {
    const { execution, outcomeStore, onMayClaim } = context;
    this.logger = new StoreLogger({ nodeId: execution.nodeId });
    this.executor = new RunExecutor({
      ...execution,
      onOutcome: (run, outcome) => this.onOutcome(run, outcome),
      onCommitted: (run, outcome) => this.onCommitted(run, outcome),
      onSlotFree: onMayClaim,
    });
    this.outcomes = new OutcomeWriter(outcomeStore, execution.nodeId, {
      onJournaled: (journaled) => this.onJournaled(journaled),
      onRefused: (outcome) => this.onRefused(outcome),
    });
  }

  /** Runs whose outcome waits for the database. */
  endedRuns(): Iterable<ActiveRun> {
    return this.ended.values();
  }

  /** A claim has committed: its runs are started, and told is what it journaled. */
  onClaimed({ claimed, journaled, takenOver }: ClaimResult): void {
    const { announcer } = this.context;
    claimed.forEach((run) => this.executor.start(run));
    journaled.forEach((run) => announcer.journaled(run));
    takenOver.forEach((run) => announcer.takenOver(run));
  }

  /** Runs of a dead node were ended. */
  onTakenOver(takenOver: readonly TakenOverRun[]): void {
    takenOver.forEach((run) => this.context.announcer.takenOver(run));
    this.context.onMayClaim();
  }

  private onOutcome(active: ActiveRun, outcome: RunOutcome): void {
    this.ended.set(outcome.runId, active);
    this.outcomes.add(outcome);
    this.context.execution.slots.notifyWhenNoneActive();
  }

  private onCommitted({ run }: ActiveRun, outcome: RunOutcome): void {
    this.context.announcer.ended(run, outcome, false);
    this.context.execution.slots.notifyWhenNoneActive();
    this.context.onMayClaim();
  }

  private onJournaled({ outcome, willRepeat }: JournaledOutcome): void {
    const active = this.forgetEnded(outcome);
    if (active !== undefined) {
      this.context.announcer.ended(active.run, outcome, willRepeat, active.thrown);
    }
    // What waited for this run to end can be claimed now.
    this.context.onMayClaim();
  }

  private onRefused(outcome: RunOutcome): void {
    const run = this.forgetEnded(outcome)?.run;
    this.logger.warn(
      `The run ${outcome.runId} of ${JSON.stringify(run?.scheduleName)} ended ${outcome.status} after it was taken over; the journal keeps it as abandoned.`,
      run === undefined ? {} : runLogFacts(run),
    );
  }

  private forgetEnded({ runId }: RunOutcome): ActiveRun | undefined {
    const active = this.ended.get(runId);
    this.ended.delete(runId);
    return active;
  }
}
