import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { untilTrue } from '../support/database.js';

const SAMPLES = join(import.meta.dirname, '../../sample');

/** A program of a sample, in a process group of its own, as a terminal gives one to whatever is started in it. */
export class SampleProcess {
  private text = '';
  private readonly closed: Promise<unknown[]>;
  private readonly child;

  /** @param program its path below the folder of the samples. */
  constructor(program: string, environment: Readonly<Record<string, string>>) {
    this.child = spawn(process.execPath, [join(SAMPLES, program)], {
      env: { ...process.env, ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    this.closed = once(this.child, 'close');
    for (const stream of [this.child.stdout, this.child.stderr]) {
      stream.setEncoding('utf8').on('data', (chunk: string) => (this.text += chunk));
    }
  }

  /** All that it has written. */
  get output(): string {
    return this.text;
  }

  /** What it says of itself, as soon as it does: the first group of the expression, or all that matches. */
  async said(what: RegExp): Promise<string> {
    let match: RegExpExecArray | null = null;
    await untilTrue(
      `the sample says ${what}`,
      () => {
        match = what.exec(this.text);
        if (match === null && this.child.exitCode !== null) {
          throw new Error(`The sample did not start:\n${this.text}`);
        }
        return match !== null;
      },
      { timeoutMs: 110_000 },
    );
    const [all, group] = match ?? [];
    return group ?? all ?? '';
  }

  /** Where one of its nodes serves operators, as soon as it does. */
  async operatorUrl(): Promise<string> {
    return this.said(/Operators are served at (\S+)/);
  }

  /** Its exit code, once it and all that it started have ended; null if it was killed. */
  async ended(): Promise<number | null> {
    await this.closed;
    return this.child.exitCode;
  }

  /** Asks it to stop, as `kill` does. */
  async stop(): Promise<number | null> {
    this.child.kill('SIGTERM');
    return this.ended();
  }

  /** Kills it and its nodes, all at once and without notice. */
  async crash(): Promise<void> {
    if (this.child.pid !== undefined && this.child.exitCode === null && this.child.signalCode === null) {
      process.kill(-this.child.pid, 'SIGKILL');
    }
    await this.ended();
  }
}
