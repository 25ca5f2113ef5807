import {
  RUN_ABANDONED_EVENT,
  RUN_CANCELED_EVENT,
  RUN_FAILED_EVENT,
  RUN_MISSED_EVENT,
  RUN_SKIPPED_EVENT,
  RUN_SUCCEEDED_EVENT,
  runFacts,
  type RunEventPublisher,
} from '../events/index.js';
import type { TakenOverRun, NewRun, RunOutcome } from '../storage/index.js';
import type { RunMetrics } from '../telemetry/index.js';

/** Tells the event bus, and counts, what the journal has just recorded. */
export class RunAnnouncer {
  constructor(
    private readonly events: RunEventPublisher,
    private readonly nodeId: string,
    private readonly metrics: Pick<RunMetrics, 'ended'>,
  ) {}

  /** Runs that were journaled by a claim without being executed. */
  journaled(run: NewRun): void {
    this.metrics.ended(run, run);
    switch (run.status) {
      case 'missed':
        this.events.publish(RUN_MISSED_EVENT, { ...runFacts(run), missedCount: run.missedCount });
        break;
      case 'skipped':
        this.events.publish(RUN_SKIPPED_EVENT, runFacts(run));
        break;
      case 'failed':
        this.failed(run, run.error ?? '', false);
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
    const name = run.status === 'canceled' ? RUN_CANCELED_EVENT : RUN_ABANDONED_EVENT;
    this.events.publish(name, { ...runFacts(run), nodeId: run.nodeId ?? '', willRecover });
  }

  /** @param willRepeat whether the run is fired again: a failed one as a retry, a canceled one as a recovery. */
  ended(run: NewRun, outcome: RunOutcome, willRepeat: boolean): void {
    const { nodeId } = this;
    this.metrics.ended(run, outcome, outcome.durationMs);
    switch (outcome.status) {
      case 'succeeded':
        this.events.publish(RUN_SUCCEEDED_EVENT, {
          ...runFacts(run),
          nodeId,
          durationMs: outcome.durationMs,
        });
        break;
      case 'failed':
        this.failed(run, outcome.error ?? '', willRepeat);
        break;
      case 'canceled':
        this.events.publish(RUN_CANCELED_EVENT, { ...runFacts(run), nodeId, willRecover: willRepeat });
        break;
    }
  }

  private failed(run: NewRun, error: string, willRetry: boolean): void {
    this.events.publish(RUN_FAILED_EVENT, { ...runFacts(run), nodeId: this.nodeId, error, willRetry });
  }
}
