/**
 * Estimates the store's time between its answers, by the monotonic clock. For what the journal tells about a run
 * (started, finished); nothing is decided by it.
 */
export class StoreTime {
  private offsetMs = 0;

  /** Takes note of the store's time, just received. */
  observe(nowUnixMs: number): void {
    this.offsetMs = nowUnixMs - performance.now();
  }

  nowUnixMs(): number {
    return Math.floor(this.offsetMs + performance.now());
  }
}
