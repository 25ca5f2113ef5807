/** The longest delay a Node timer takes; a longer one would fire at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** A timer for delays of any length, by the monotonic clock. */
export class LongTimer {
  private timer: NodeJS.Timeout | undefined;
  private readonly dueAt: number;

  constructor(
    delayMs: number,
    private readonly onDue: () => void,
  ) {
    this.dueAt = performance.now() + delayMs;
    this.arm();
  }

  cancel(): void {
    clearTimeout(this.timer);
  }

  /** Timers may return early: what has not passed is waited for again. */
  private arm(): void {
    const remainingMs = this.dueAt - performance.now();
    if (remainingMs <= 0) {
      this.onDue();
      return;
    }
    this.timer = setTimeout(() => this.arm(), Math.min(Math.ceil(remainingMs), MAX_TIMER_MS));
  }
}

/**
 * Resolves after `delayMs`, or as soon as `until` settles.
 *
 * @returns whether it has settled.
 */
export async function waitAtMost(delayMs: number, until: Promise<unknown>): Promise<boolean> {
  let timer: LongTimer | undefined;
  const elapsed = new Promise<boolean>((resolve) => {
    timer = new LongTimer(delayMs, () => resolve(false));
  });
  const settled = until.then(
    () => true,
    () => true,
  );
  try {
    return await Promise.race([elapsed, settled]);
  } finally {
    timer?.cancel();
  }
}
