import { LongTimer } from './long-timer.js';

/** A sleep that can be cut short. A wake-up that comes while nobody sleeps is kept for the next sleep. */
export class WakeableSleep {
  private isWoken = false;
  private wakeSleeper: (() => void) | undefined;

  /** Sleeps for `delayMs`, or until somebody wakes it. */
  async sleep(delayMs: number): Promise<void> {
    if (!this.isWoken) {
      await new Promise<void>((resolve) => {
        const timer = new LongTimer(delayMs, resolve);
        this.wakeSleeper = () => {
          timer.cancel();
          resolve();
        };
      });
    }
    this.wakeSleeper = undefined;
    this.isWoken = false;
  }

  wake(): void {
    this.isWoken = true;
    this.wakeSleeper?.();
  }
}
