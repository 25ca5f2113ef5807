import type { Provider } from '@nestjs/common';
import { type Execution, JobHandler, type JobHandlerOptions } from '../../../../lib/index.js';

/** A provider that handles a job by a function. */
export function job(given: string | JobHandlerOptions, execute: (execution: Execution) => unknown): Provider {
  @JobHandler(typeof given === 'string' ? { name: given } : given)
  class FunctionHandler implements JobHandler {
    execute(execution: Execution): unknown {
      return execute(execution);
    }
  }
  return FunctionHandler;
}

/** A door that handlers wait at until a test opens it. */
export class Gate {
  private release: () => void = () => undefined;
  private opened = this.closed();

  /** Resolves when the gate is open. */
  async pass(): Promise<void> {
    await this.opened;
  }

  open(): void {
    this.release();
  }

  /** Closes it again, for whoever comes from now on. */
  close(): void {
    this.opened = this.closed();
  }

  private closed(): Promise<void> {
    return new Promise((resolve) => {
      this.release = resolve;
    });
  }
}

/** A job whose handlers wait at a gate, and what was executed of it. */
export class GatedJob {
  readonly gate = new Gate();
  readonly executions: Execution[] = [];
  readonly provider: Provider;
  /** Executions that have returned. */
  returned = 0;

  constructor(name: string) {
    this.provider = job(name, async (execution) => {
      this.executions.push(execution);
      await this.gate.pass();
      this.returned += 1;
    });
  }

  /** The executions of one schedule. */
  of(scheduleName: string): readonly Execution[] {
    return this.executions.filter((execution) => execution.scheduleName === scheduleName);
  }
}
