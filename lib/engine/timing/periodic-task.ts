import { WakeableSleep } from './wakeable-sleep.js';

/** Repeats a task with a pause between its runs, never two at once. */
export class PeriodicTask {
  private readonly pause = new WakeableSleep();
  private isStopped = false;
  private loop: Promise<void> = Promise.resolve();

  /**
   * @param task must not reject: it knows what its errors mean.
   * @param pauseMs between the end of one run and the start of the next.
   */
  constructor(
    private readonly task: () => Promise<void>,
    private readonly pauseMs: number,
  ) {}

  start(): void {
    this.loop = this.repeat();
  }

  /** Ends the pause. */
  wake(): void {
    this.pause.wake();
  }

  /** Resolves when no run of the task is under way any more. */
  async stop(): Promise<void> {
    this.isStopped = true;
    this.pause.wake();
    await this.loop;
  }

  private async repeat(): Promise<void> {
    while (!this.isStopped) {
      await this.task();
      if (!this.isStopped) {
        await this.pause.sleep(this.pauseMs);
      }
    }
  }
}
