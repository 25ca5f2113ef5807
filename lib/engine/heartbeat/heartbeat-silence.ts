import { LongTimer } from '../timing/long-timer.js';

/**
 * How late the main thread's heartbeat must be, in intervals. Later than one that merely took its time, and well before
 * two, which is the least that `abandonedAfter` may be.
 */
export const OVERDUE_AFTER_INTERVALS = 1.5;

/** How soon a heartbeat that failed is tried again, unless the interval is shorter. */
const RETRY_MS = 1_000;

/** By what rules to stand in for the main thread. */
export interface SilenceRules {
  readonly intervalMs: number;
  readonly stuckAfterMs: number;
  /** Heartbeats in place of the main thread. */
  readonly beat: () => Promise<void>;
}

/** What happened in a silence. */
export interface SilenceSummary {
  readonly silentMs: number;
  /** How many heartbeats stood in for those of the main thread. */
  readonly beats: number;
}

/**
 * The time from one heartbeat of the main thread to the next. When that one is overdue, others take its place, until
 * the main thread counts as stuck: then nothing is done any more, so that other nodes recover its runs.
 */
export class Silence {
  private readonly beganAt = performance.now();
  private isOver = false;
  private beats = 0;
  private timer: LongTimer;

  constructor(private readonly rules: SilenceRules) {
    this.timer = this.beatAfter(OVERDUE_AFTER_INTERVALS * rules.intervalMs);
  }

  /** The main thread was heard again. */
  end(): SilenceSummary {
    this.isOver = true;
    this.timer.cancel();
    return { silentMs: Math.round(this.silentMs()), beats: this.beats };
  }

  private beatAfter(pauseMs: number): LongTimer {
    return new LongTimer(pauseMs, () => void this.standIn());
  }

  private async standIn(): Promise<void> {
    const { beat, intervalMs, stuckAfterMs } = this.rules;
    if (this.silentMs() >= stuckAfterMs) {
      return;
    }
    let pauseMs = intervalMs;
    try {
      await beat();
      this.beats += 1;
    } catch {
      // Why is known where the connection is.
      pauseMs = Math.min(RETRY_MS, intervalMs);
    }
    if (!this.isOver) {
      this.timer = this.beatAfter(pauseMs);
    }
  }

  private silentMs(): number {
    return performance.now() - this.beganAt;
  }
}
