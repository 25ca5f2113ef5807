import type { ClaimedRun, NewRun, RunOutcome } from '../../storage/index.js';
import { type AbortSource, ParamsInvalidError, RunInterceptorError } from '../../jobs/index.js';
import { backoffAfter, type RunReason } from '../../schedules/index.js';
import { errorText } from './error-text.js';
import { LazyAbort } from './lazy-abort.js';
import { LongTimer } from '../timing/long-timer.js';

/** Why a handler's signal was aborted. */
export class RunAbortedError extends Error {
  /** The name of the class, also where code is minified. */
  override readonly name = 'RunAbortedError';
}

/** How a handler settled: `committed` is that of a transactional one, whose success is in the journal already. */
export type Settlement =
  | { readonly kind: 'returned' }
  | { readonly kind: 'committed'; readonly outcome: RunOutcome }
  | { readonly kind: 'threw'; readonly error: unknown };

/** How the outcome of a run comes about. */
type Ending = Pick<RunOutcome, 'status' | 'reason' | 'error'>;

/** Why a run is asked to end before its handler is done. */
export type CancelReason = 'shutdown' | 'operator' | 'replaced';

/** Bounds of one run, in ms. */
export interface RunBounds {
  /** 0 is unbounded. */
  readonly timeoutMs: number;
  /** How long a handler may go on after its signal was aborted. */
  readonly abortGraceMs: number;
}

/**
 * One run on this node, from its claim until its outcome is decided. What decides first is final: the handler that
 * settles, the grace after a timeout or a cancellation that runs out, or another node that took the run over.
 *
 * A timeout outranks a cancellation, which outranks what the handler threw.
 */
export class ActiveRun {
  readonly run: NewRun;
  readonly startedAtUnixMs: number;
  private readonly aborting = new LazyAbort();
  private readonly ending = new LazyAbort();
  private readonly startedAt = performance.now();
  private readonly deadline: LongTimer | undefined;
  private grace: LongTimer | undefined;
  private cancelReason: CancelReason | undefined;
  private isDecided = false;
  private isCommitting = false;
  private thrownByHandler: unknown;

  /** @param onOutcome is called once, unless the run is taken over or committed: then it has no outcome to journal. */
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

  /** What the handler is told when it should stop. */
  get cancellation(): AbortSource {
    return this.aborting;
  }

  /** What the handler threw, where that decided the outcome. */
  get thrown(): unknown {
    return this.thrownByHandler;
  }

  /** Whether the outcome is decided, though the handler may not have settled. */
  get isOver(): boolean {
    return this.isDecided;
  }

  /** Aborted when the outcome is decided: what the handler still does must have no effect. */
  get over(): AbortSignal {
    return this.ending.signal;
  }

  /** Whether the success is being committed, so that the journal may have it before this node hears of it. */
  get isBeingCommitted(): boolean {
    return this.isCommitting && !this.isDecided;
  }

  /**
   * The handler returned, and its success is about to be committed.
   *
   * @returns what is to be recorded with it.
   * @throws RunAbortedError when the run has timed out, or is over.
   */
  beginCommit(): RunOutcome {
    if (this.isTimedOut()) {
      throw new RunAbortedError(timeoutMessage(this.bounds.timeoutMs));
    }
    this.ending.throwIfAborted();
    this.isCommitting = true;
    return this.outcomeOf({ status: 'succeeded' });
  }

  /** The handler settled. One that returns after its deadline failed all the same, even where no timer got to say so. */
  settle(settlement: Settlement): void {
    if (settlement.kind === 'committed') {
      this.end();
    } else if (this.isTimedOut()) {
      this.decide(this.timedOut());
    } else if (settlement.kind === 'returned') {
      this.decide({ status: 'succeeded' });
    } else if (this.cancelReason !== undefined) {
      this.decide(canceled(this.cancelReason));
    } else {
      this.thrownByHandler = settlement.error;
      this.decide({
        status: 'failed',
        reason: failureReason(settlement.error),
        error: errorText(settlement.error),
      });
    }
  }

  /**
   * Aborts the signal, and cancels the run when the handler does not settle in time. Who does not want the run any more
   * outranks a shutdown, which would have it fired again.
   */
  cancel(reason: CancelReason): void {
    if (this.isDecided) {
      return;
    }
    if (this.cancelReason === undefined || reason !== 'shutdown') {
      this.cancelReason = reason;
    }
    this.abort(CANCELLATIONS[reason]);
    this.grantGrace();
  }

  /** Another node took the run over: the signal aborts, and whatever the handler still does is not journaled. */
  onTakenOver(): void {
    if (this.isDecided) {
      return;
    }
    this.end();
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
      this.decide(
        this.isTimedOut() || this.cancelReason === undefined ? this.timedOut() : canceled(this.cancelReason),
      ),
    );
  }

  private isTimedOut(): boolean {
    return this.bounds.timeoutMs > 0 && this.elapsedMs() >= this.bounds.timeoutMs;
  }

  private timedOut(): Ending {
    return { status: 'failed', reason: 'timeout', error: timeoutMessage(this.bounds.timeoutMs) };
  }

  private decide(ending: Ending): void {
    if (this.isDecided) {
      return;
    }
    this.end();
    this.onOutcome(this.outcomeOf(ending));
  }

  private end(): void {
    this.isDecided = true;
    this.cancelTimers();
    this.ending.abort(RUN_OVER);
  }

  private outcomeOf(ending: Ending): RunOutcome {
    const durationMs = Math.round(this.elapsedMs());
    const retryAfterMs =
      ending.status === 'failed' ? backoffAfter(this.claimed.retry, this.run.attempt) : undefined;
    return {
      runId: this.run.id,
      scheduleId: this.run.scheduleId,
      ...ending,
      startedAtUnixMs: this.startedAtUnixMs,
      finishedAtUnixMs: this.startedAtUnixMs + durationMs,
      durationMs,
      ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    };
  }

  private abort(message: string): void {
    this.aborting.abort(new RunAbortedError(message));
  }

  private elapsedMs(): number {
    return performance.now() - this.startedAt;
  }

  private cancelTimers(): void {
    this.deadline?.cancel();
    this.grace?.cancel();
  }
}

// One for all: it is thrown by few, and an error with its stack costs more than a run.
const RUN_OVER = new RunAbortedError('The run is over.');

const CANCELLATIONS: Readonly<Record<CancelReason, string>> = {
  shutdown: 'The run was interrupted by the shutdown of its node.',
  operator: 'The run was canceled by an operator.',
  replaced: 'The run was replaced by the next fire of its schedule.',
};

function canceled(reason: CancelReason): Ending {
  return { status: 'canceled', reason, error: CANCELLATIONS[reason] };
}

function failureReason(error: unknown): RunReason {
  if (error instanceof RunInterceptorError) {
    return 'interceptor_error';
  }
  return error instanceof ParamsInvalidError ? 'params_invalid' : 'handler_error';
}

function timeoutMessage(timeoutMs: number): string {
  return `The run timed out after ${timeoutMs} ms.`;
}
