import { setTimeout as delay } from 'node:timers/promises';
import type { Execution, TransactionalExecution } from '../../../lib/index.js';
import type { NodeRecorder } from './node-recorder.js';
import { DELIBERATE_ERROR, type JobName, type JobParams } from './protocol.js';

/** Executes the runs of a node, each as its job says, and writes down what they did. */
export class Jobs {
  private readonly settling = new AbortController();

  constructor(private readonly recorder: NodeRecorder) {}

  /** From now on every handler is quick and good; those that would take longer end. */
  settle(): void {
    this.settling.abort();
  }

  async execute(job: JobName, execution: Execution): Promise<void> {
    const { recorder } = this;
    const onAbort = () => recorder.deed('aborted', execution);
    execution.signal.addEventListener('abort', onAbort, { once: true });
    recorder.deed('started', execution);
    try {
      await this.behave(job, execution);
    } catch (error) {
      recorder.deed('threw', execution);
      throw error;
    }
    recorder.deed('returned', execution);
  }

  private async behave(job: JobName, execution: Execution): Promise<void> {
    const { ms } = execution.params as JobParams;
    if (isTransactional(execution)) {
      await execution.manager.query('insert into soak_effect (run_id) values ($1)', [execution.runId]);
      await this.sleep(ms);
      await execution.manager.query('insert into soak_effect (run_id) values ($1)', [execution.runId]);
      this.throwInEvery(4, execution);
      return;
    }
    switch (job) {
      case 'quick':
      case 'transactional':
        return;
      case 'slow':
        return this.sleep(ms, execution.signal);
      case 'deaf':
        return this.sleep(ms);
      case 'failing':
        return this.throwInEvery(2, execution);
      case 'endless':
        return this.sleep(2 ** 31 - 1, execution.signal);
      case 'blocking':
        if (!this.settling.signal.aborted) {
          Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
        }
        return;
      case 'killing':
        if (!this.settling.signal.aborted && !isOneIn(4, execution)) {
          process.kill(process.pid, 'SIGKILL');
        }
    }
  }

  /** @throws the signal's reason when it aborts. */
  private async sleep(ms: number, signal?: AbortSignal): Promise<void> {
    const wakers = signal === undefined ? [this.settling.signal] : [this.settling.signal, signal];
    await delay(ms, undefined, { signal: AbortSignal.any(wakers) }).catch(() => undefined);
    signal?.throwIfAborted();
  }

  private throwInEvery(times: number, execution: Execution): void {
    if (!this.settling.signal.aborted && isOneIn(times, execution)) {
      throw new Error(DELIBERATE_ERROR);
    }
  }
}

/** By what it has: its class is another one in each version of the package. */
function isTransactional(execution: Execution): execution is TransactionalExecution {
  return 'manager' in execution;
}

/** The end of a run's id is random. */
function isOneIn(times: number, { runId }: Execution): boolean {
  return Number.parseInt(runId.slice(-4), 16) % times === 0;
}
