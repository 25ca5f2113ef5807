import type { ClaimedRun, NewRun, RunOutcome } from '../storage/index.js';
import { errorText } from './error-text.js';
import { LongTimer } from './long-timer.js';

/** Why a handler's signal was aborted. */
export class RunAbortedError extends Error {
  override readonly name = 'RunAbortedError';
}

/** How a handler settled. */
export type Settlement = { readonly kind: 'returned' } | { readonly kind: 'threw'; readonly error: unknown };

/** How the outcome of a run comes about. */
type Ending = Pick<RunOutcome, 'status' | 'error'>;

/** Bounds of one run, in ms. */
export interface RunBounds {
  /** 0 is unbounded. */
  readonly timeoutMs: number;
  /** How long a handler may go on after its signal was aborted. */
  readonly abortGraceMs: number;
}

/**
 * One run on this node, from its claim until its outcome is decided. What decides first is final: the handler that
 * settles, the grace after a timeout or a shutdown that runs out, or another node that took the run over.
 *
 * A timeout outranks a shutdown, which outranks what the handler threw.
 */
export class ActiveRun {
  readonly run: NewRun;
  readonly startedAtUnixMs: number;
  private readonly controller = new AbortController();
  private readonly startedAt = performance.now();
  private readonly deadline: LongTimer | undefined;
  private grace: LongTimer | undefined;
  private isShutDown = false;
  private isDecided = false;

  /** @param onOutcome is called once, unless the run is taken over: then it has no outcome here. */
  constructor(
    readonly claimed: ClaimedRun,
    storeNowUnixMs: number,
    private readonly bounds: RunBounds,
    private readonly onOutcome: (outcome: RunOutcome) => void,
  ) {
    this.run = claimed.run;
    this.startedAtUnixMs = Math.max(storeNowUnixMs, claimed.run.claimedAtUnixMs);
    if (bounds.timeoutMs > 0) {
      this.deadline = new LongTimer(bounds.timeoutMs, () => this.onDeadline());
    }
  }

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  /** Whether the outcome is decided, though the handler may not have settled. */
  get isOver(): boolean {
    return this.isDecided;
  }

  /** The handler settled. One that returns after its deadline failed all the same, even where no timer got to say so. */
  settle(settlement: Settlement): void {
    if (this.isTimedOut()) {
      this.decide(this.timedOut());
    } else if (settlement.kind === 'returned') {
      this.decide({ status: 'succeeded' });
    } else if (this.isShutDown) {
      this.decide(CANCELED);
    } else {
      this.decide({ status: 'failed', error: errorText(settlement.error) });
    }
  }

  /** The node shuts down: aborts the signal, and cancels the run when the handler does not settle in time. */
  shutDown(): void {
    if (this.isDecided || this.isShutDown) {
      return;
    }
    this.isShutDown = true;
    this.abort('The node is shutting down.');
    this.grantGrace();
  }

  /** Another node took the run over: the signal aborts, and whatever the handler still does is not journaled. */
  onTakenOver(): void {
    if (this.isDecided) {
      return;
    }
    this.isDecided = true;
    this.cancelTimers();
    this.abort(
      'The run was taken over by another node, because heartbeats of this one did not arrive in time.',
    );
  }

  private onDeadline(): void {
    if (this.isDecided) {
      return;
    }
    this.abort(timeoutMessage(this.bounds.timeoutMs));
    this.grantGrace();
  }

  /** Once, from the first abort on: a timeout during a shutdown does not prolong it. */
  private grantGrace(): void {
    this.grace ??= new LongTimer(this.bounds.abortGraceMs, () =>
      this.decide(this.isTimedOut() ? this.timedOut() : CANCELED),
    );
  }

  private isTimedOut(): boolean {
    return this.bounds.timeoutMs > 0 && this.elapsedMs() >= this.bounds.timeoutMs;
  }

  private timedOut(): Ending {
    return { status: 'failed', error: timeoutMessage(this.bounds.timeoutMs) };
  }

  private decide(ending: Ending): void {
    if (this.isDecided) {
      return;
    }
    this.isDecided = true;
    this.cancelTimers();
    const durationMs = Math.round(this.elapsedMs());
    this.onOutcome({
      runId: this.run.id,
      scheduleId: this.run.scheduleId,
      ...ending,
      startedAtUnixMs: this.startedAtUnixMs,
      finishedAtUnixMs: this.startedAtUnixMs + durationMs,
      durationMs,
    });
  }

  private abort(message: string): void {
    this.controller.abort(new RunAbortedError(message));
  }

  private elapsedMs(): number {
    return performance.now() - this.startedAt;
  }

  private cancelTimers(): void {
    this.deadline?.cancel();
    this.grace?.cancel();
  }
}

const CANCELED: Ending = {
  status: 'canceled',
  error: 'The run was interrupted by the shutdown of its node.',
};

function timeoutMessage(timeoutMs: number): string {
  return `The run timed out after ${timeoutMs} ms.`;
}
