import {
  RUN_ABANDONED_EVENT,
  RUN_CANCELED_EVENT,
  RUN_FAILED_EVENT,
  RUN_MISSED_EVENT,
  RUN_SKIPPED_EVENT,
  RUN_SUCCEEDED_EVENT,
  type RunEventPublisher,
} from '../../events/index.js';
import type { TakenOverRun, NewRun, RunOutcome } from '../../storage/index.js';
import { StoreLogger } from '../../store-logger.js';
import type { RunMetrics } from '../../telemetry/index.js';
import { runLogFacts } from './run-log-facts.js';

/** How a run failed. */
interface Failure extends Pick<RunOutcome, 'error' | 'reason'> {
  readonly willRetry: boolean;
  readonly thrown?: unknown;
}

/** Tells the event bus and the log, and counts, what the journal has just recorded. */
export class RunAnnouncer {
  private readonly logger: StoreLogger;

  constructor(
    private readonly events: RunEventPublisher,
    private readonly nodeId: string,
    private readonly metrics: Pick<RunMetrics, 'ended'>,
  ) {
    this.logger = new StoreLogger({ nodeId });
  }

  /** Runs that were journaled by a claim without being executed. */
  journaled(run: NewRun): void {
    this.metrics.ended(run, run);
    switch (run.status) {
      case 'missed':
        this.logger.warn(
          `${run.missedCount} occurrences of ${quoted(run)} from ${new Date(run.scheduledAtUnixMs).toISOString()} on were missed.`,
          { ...runLogFacts(run), missedCount: run.missedCount },
        );
        this.events.publish(RUN_MISSED_EVENT, run, { missedCount: run.missedCount });
        break;
      case 'skipped':
        this.events.publish(RUN_SKIPPED_EVENT, run, {});
        break;
      case 'failed':
        this.failed(run, { error: run.error ?? '', willRetry: false });
        break;
      case 'running':
      case 'succeeded':
      case 'abandoned':
      case 'canceled':
        throw new Error(`A claim does not journal a run as ${run.status}.`);
    }
  }

  takenOver({ run, willRecover }: TakenOverRun): void {
    this.metrics.ended(run, run);
    const isCanceled = run.status === 'canceled';
    const name = isCanceled ? RUN_CANCELED_EVENT : RUN_ABANDONED_EVENT;
    if (!isCanceled) {
      this.logger.warn(
        `The run ${run.id} of ${quoted(run)} was abandoned: the heartbeats of the node ${run.nodeId} stopped. It ${willRecover ? 'is fired again' : 'is not fired again'}.`,
        runLogFacts(run),
      );
    }
    this.events.publish(name, run, { nodeId: run.nodeId ?? '', willRecover });
  }

  /**
   * @param willRepeat whether the run is fired again: a failed one as a retry, a canceled one as a recovery.
   * @param thrown what its handler threw, where it did.
   */
  ended(run: NewRun, outcome: RunOutcome, willRepeat: boolean, thrown?: unknown): void {
    const { nodeId } = this;
    this.metrics.ended(run, outcome, outcome.durationMs);
    switch (outcome.status) {
      case 'succeeded':
        this.events.publish(RUN_SUCCEEDED_EVENT, run, { nodeId, durationMs: outcome.durationMs });
        break;
      case 'failed':
        this.failed(run, { ...outcome, willRetry: willRepeat, thrown });
        break;
      case 'canceled':
        this.logger.log(
          `The run ${run.id} of ${quoted(run)} was canceled (${outcome.reason}), and ${willRepeat ? 'is fired again' : 'is not fired again'}.`,
          { ...runLogFacts(run), reason: outcome.reason },
        );
        this.events.publish(RUN_CANCELED_EVENT, run, { nodeId, willRecover: willRepeat });
        break;
    }
  }

  /** One line for each: without the stack where another attempt follows, which would only repeat it. */
  private failed(run: NewRun, { error = '', reason, willRetry, thrown }: Failure): void {
    const facts = { ...runLogFacts(run), reason: reason ?? run.reason };
    if (willRetry) {
      this.logger.warn(`The run ${run.id} of ${quoted(run)} failed, and is tried again: ${error}`, facts);
    } else {
      this.logger.error(`The run ${run.id} of ${quoted(run)} failed: ${error}`, facts, thrown);
    }
    this.events.publish(RUN_FAILED_EVENT, run, { nodeId: this.nodeId, error, willRetry });
  }
}

function quoted({ scheduleName }: Pick<NewRun, 'scheduleName'>): string {
  return JSON.stringify(scheduleName);
}
