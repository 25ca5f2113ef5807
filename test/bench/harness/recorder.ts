/** What the handlers of a node have done so far. */
export interface Record {
  readonly count: number;
  readonly firstAtUnixMs: number;
  readonly lastAtUnixMs: number;
  /** How long after its occurrence each handler was started, in ms. */
  readonly latenessMs: readonly number[];
  /** What the process has used since the first start, all threads. */
  readonly cpuMs: number;
}

/** Counts the starts of handlers on a node. It is all that a handler does. */
export class Recorder {
  private latenessMs: number[] = [];
  private firstAtUnixMs = 0;
  private cpuBefore = process.cpuUsage();
  private lastAtUnixMs = 0;
  private waiting: { readonly count: number; readonly resolve: () => void } | undefined;

  /** How many handlers have started since the record was taken. */
  get count(): number {
    return this.latenessMs.length;
  }

  /** A handler has started, for an occurrence in Unix ms. */
  started(occurrenceAtUnixMs: number): void {
    const nowUnixMs = Date.now();
    if (this.latenessMs.length === 0) {
      this.firstAtUnixMs = nowUnixMs;
      this.cpuBefore = process.cpuUsage();
    }
    this.lastAtUnixMs = nowUnixMs;
    this.latenessMs.push(nowUnixMs - occurrenceAtUnixMs);
    if (this.latenessMs.length === this.waiting?.count) {
      this.waiting.resolve();
    }
  }

  /** Waits until so many handlers have started since the last time the record was taken. */
  async untilStarted(count: number): Promise<void> {
    if (this.latenessMs.length < count) {
      await new Promise<void>((resolve) => {
        this.waiting = { count, resolve };
      });
    }
  }

  /** Takes the record, and begins a new one. */
  take(): Record {
    const { latenessMs, firstAtUnixMs, lastAtUnixMs } = this;
    const { user, system } = process.cpuUsage(this.cpuBefore);
    this.latenessMs = [];
    return {
      count: latenessMs.length,
      firstAtUnixMs,
      lastAtUnixMs,
      latenessMs,
      cpuMs: (user + system) / 1_000,
    };
  }
}
