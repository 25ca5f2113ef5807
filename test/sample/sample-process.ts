import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { untilTrue } from '../support/database.js';

const FOLDER = join(import.meta.dirname, '../../sample/01-operations');

/** A program of the sample, in a process group of its own, as a terminal gives one to whatever is started in it. */
export class SampleProcess {
  private text = '';
  private readonly closed: Promise<unknown[]>;
  private readonly child;

  constructor(program: 'start.mjs' | 'check.mjs', environment: Readonly<Record<string, string>>) {
    this.child = spawn(process.execPath, [join(FOLDER, program)], {
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

  /** Where one of its nodes serves operators, as soon as it does. */
  async operatorUrl(): Promise<string> {
    let url: string | undefined;
    await untilTrue(
      'operators are served',
      () => {
        url = /Operators are served at (\S+)/.exec(this.text)?.[1];
        if (url === undefined && this.child.exitCode !== null) {
          throw new Error(`The sample did not start:\n${this.text}`);
        }
        return url !== undefined;
      },
      { timeoutMs: 90_000 },
    );
    return url ?? '';
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
