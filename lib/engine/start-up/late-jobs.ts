// Imported, not global, so that a test's fake timers do not hold jobs back.
import { setImmediate } from 'node:timers';
import type { RegisteredJob } from '../../jobs/index.js';

/** What takes jobs up, and hears where that failed and nobody waits for it. */
export interface LateJobsContext {
  readonly takeUp: (jobs: readonly RegisteredJob[]) => Promise<void>;
  readonly onFailure: (error: unknown) => void;
}

/** Jobs that are registered while the engine runs: they are taken up one batch after the other, whoever waits for it. */
export class LateJobs {
  private waiting: RegisteredJob[] = [];
  private work: Promise<void> = Promise.resolve();

  constructor(private readonly context: LateJobsContext) {}

  /** Takes a job up soon, together with those that are registered with it. */
  add(job: RegisteredJob): void {
    this.waiting.push(job);
    if (this.waiting.length === 1) {
      setImmediate(() => void this.settle().catch(this.context.onFailure));
    }
  }

  /**
   * Takes up now what waits, and waits for it.
   *
   * @throws what taking them up throws, which is then not told to anybody else.
   */
  async settle(): Promise<void> {
    const jobs = this.waiting;
    this.waiting = [];
    const done = jobs.length === 0 ? this.work : this.work.then(() => this.context.takeUp(jobs));
    this.work = done.catch(() => undefined);
    await done;
  }
}
