// Imported, not global, so that a test's fake timers do not hold outcomes back.
import { setImmediate as endOfTurn } from 'node:timers/promises';
import type { RunOutcome, StandingOutcome, Storage } from '../../storage/index.js';
import { messageOf } from '../../error-reading.js';
import { codeFacts, StoreLogger } from '../../store-logger.js';
import { waitAtMost } from '../timing/long-timer.js';
import { retryPauseAfter } from '../timing/retry-pause.js';
import { WakeableSleep } from '../timing/wakeable-sleep.js';

/** Outcomes written by one statement. */
const BATCH_SIZE = 512;

/** Until the next try of outcomes whose schedules somebody has locked, as every claim does for a moment. */
const LOCKED_RETRY_MS = 100;
/** Whoever keeps them locked for longer than this keeps outcomes out of the journal, which is a failure. */
const LOCKED_PATIENCE_MS = 5_000;

/** An outcome that is in the journal, and whether the run will be fired again. */
export interface JournaledOutcome {
  readonly outcome: RunOutcome;
  readonly willRepeat: boolean;
}

/** Hears what became of outcomes. */
export interface OutcomeObserver {
  onJournaled(journaled: JournaledOutcome): void;
  /** The run was over already, by another node: the journal keeps what it has. */
  onRefused(outcome: RunOutcome): void;
}

/**
 * Journals how runs ended: at once when they come slowly, in batches when they come fast. While the database is away
 * outcomes are kept and tried again, so that none is lost but by the end of the process.
 */
export class OutcomeWriter {
  private readonly logger: StoreLogger;
  private readonly retryPause = new WakeableSleep();
  private queue: RunOutcome[] = [];
  private writing: Promise<void> | undefined;
  private isClosed = false;
  private hasFailed = false;
  /** Since when, by the monotonic clock, there was always an outcome that waited for its schedule. */
  private waitingSince: number | undefined;

  constructor(
    private readonly store: Pick<Storage['outcomes'], 'write'>,
    private readonly nodeId: string,
    private readonly observer: OutcomeObserver,
  ) {
    this.logger = new StoreLogger({ nodeId });
  }

  /** Whether an attempt to write failed, and something is left of what was to be written. */
  get isFailing(): boolean {
    return this.hasFailed;
  }

  /** Whether one of these runs has an outcome here that is not told yet: it waits to be written, or for the answer to that. */
  holdsAny(runIds: ReadonlySet<string>): boolean {
    return this.queue.some(({ runId }) => runIds.has(runId));
  }

  /** Takes an outcome over; it will be written. */
  add(outcome: RunOutcome): void {
    this.queue.push(outcome);
    this.writing ??= this.writeAll();
  }

  /** Waits until everything is written, for at most `deadlineMs`; what is not by then is given up. */
  async close(deadlineMs: number): Promise<void> {
    await waitAtMost(deadlineMs, this.writing ?? Promise.resolve());
    this.isClosed = true;
    this.retryPause.wake();
    if (this.queue.length > 0) {
      this.logger.error(
        `${this.queue.length} outcomes could not be journaled before shutdown; recovery will find their runs abandoned.`,
      );
    }
  }

  private async writeAll(): Promise<void> {
    // Runs that were claimed together and end together are one statement, and one commit.
    await endOfTurn();
    let failures = 0;
    let batchSize = BATCH_SIZE;
    while (this.queue.length > 0 && !this.isClosed) {
      const batch = this.queue.slice(0, batchSize);
      try {
        const waiting = await this.write(batch);
        this.queue = [...this.queue.slice(batch.length), ...waiting];
        this.onSuccess();
        this.onWaiting(waiting);
        failures = 0;
        batchSize = Math.min(batchSize * 2, BATCH_SIZE);
        if (waiting.length === batch.length) {
          await this.retryPause.sleep(LOCKED_RETRY_MS);
        }
      } catch (error) {
        this.onFailure(batch, error);
        // If it is one of them that the database refuses, it must not hold up the others: alone, and last.
        this.queue = [...this.queue.slice(1), ...this.queue.slice(0, 1)];
        batchSize = 1;
        failures += 1;
        await this.retryPause.sleep(retryPauseAfter(failures));
      }
    }
    // In the same turn as the last look at the queue, so that none that is added later is left behind.
    this.writing = undefined;
  }

  /** What failed is made up for when nothing is left: one outcome that is refused does not count as made up for by others. */
  private onSuccess(): void {
    if (this.hasFailed && this.queue.length === 0) {
      this.hasFailed = false;
      this.logger.log('Outcomes are journaled again.');
    }
  }

  /** Whoever has their schedules locked is waited for: only what takes long is told. */
  private onWaiting(waiting: readonly RunOutcome[]): void {
    if (this.queue.length === 0) {
      this.waitingSince = undefined;
    } else if (waiting.length > 0) {
      this.waitingSince ??= performance.now();
      if (performance.now() - this.waitingSince >= LOCKED_PATIENCE_MS) {
        this.onFailure(waiting, new Error('somebody keeps the rows of their schedules locked.'));
      }
    }
  }

  private onFailure(batch: readonly RunOutcome[], error: unknown): void {
    if (!this.hasFailed) {
      this.logger.warn(
        `Outcomes of ${batch.length} runs could not be journaled yet: ${messageOf(error)}`,
        codeFacts(error),
      );
    }
    this.hasFailed = true;
  }

  /** @returns the outcomes that wait for their schedules. */
  private async write(batch: readonly RunOutcome[]): Promise<RunOutcome[]> {
    const { writtenIds, repeatedIds, waitingIds, standing } = await this.store.write(this.nodeId, batch);
    const waiting = batch.filter(({ runId }) => waitingIds.has(runId));
    for (const outcome of batch) {
      if (writtenIds.has(outcome.runId)) {
        this.observer.onJournaled({ outcome, willRepeat: repeatedIds.has(outcome.runId) });
      } else if (!waitingIds.has(outcome.runId)) {
        this.onOverAlready(outcome, standing.get(outcome.runId));
      }
    }
    return waiting;
  }

  /** What this node ended itself was journaled by a try of which it got no answer, and is yet to be told. */
  private onOverAlready(outcome: RunOutcome, standing: StandingOutcome | undefined): void {
    if (standing?.status === outcome.status) {
      this.observer.onJournaled({ outcome, willRepeat: standing.isRepeated });
    } else if (standing?.status === 'succeeded') {
      this.observer.onJournaled({ outcome: succeeded(outcome), willRepeat: false });
    } else {
      this.observer.onRefused(outcome);
    }
  }
}

/** What the journal has of a run that seemed to fail while its success was being committed. */
function succeeded(outcome: RunOutcome): RunOutcome {
  const { runId, scheduleId, startedAtUnixMs, finishedAtUnixMs, durationMs } = outcome;
  return { runId, scheduleId, status: 'succeeded', startedAtUnixMs, finishedAtUnixMs, durationMs };
}
