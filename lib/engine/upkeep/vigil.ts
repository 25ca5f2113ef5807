/**
 * Decides whether this node may declare others dead: only after its own heartbeats have succeeded for a full
 * `abandonedAfter`, without a gap. Every living node had as long to heartbeat, so that after an outage of the
 * database, or after this node was frozen, nobody's live runs are taken over. Judged by the store's time alone.
 */
export class Vigil {
  private sinceUnixMs: number | undefined;
  private lastBeatUnixMs = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly heartbeatIntervalMs: number,
    private readonly abandonedAfterMs: number,
  ) {}

  /** A heartbeat succeeded at this time of the store's. */
  onBeat(nowUnixMs: number): void {
    if (this.sinceUnixMs === undefined || !this.isFresh(nowUnixMs)) {
      this.sinceUnixMs = nowUnixMs;
    }
    this.lastBeatUnixMs = nowUnixMs;
  }

  /** A heartbeat failed. */
  onFailure(): void {
    this.sinceUnixMs = undefined;
  }

  /** Whether the vigil is complete, at this time of the store's. */
  isComplete(nowUnixMs: number): boolean {
    return (
      this.sinceUnixMs !== undefined &&
      nowUnixMs - this.sinceUnixMs >= this.abandonedAfterMs &&
      this.isFresh(nowUnixMs)
    );
  }

  /**
   * A gap of two intervals is one missed heartbeat; `abandonedAfter` is at least as long. Where the store's time was
   * set back, nobody can tell how long the gap was.
   */
  private isFresh(nowUnixMs: number): boolean {
    const gapMs = nowUnixMs - this.lastBeatUnixMs;
    return gapMs >= 0 && gapMs <= 2 * this.heartbeatIntervalMs;
  }
}
