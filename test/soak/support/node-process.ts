import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import {
  type ActionName,
  type ActionRequest,
  type NodeActions,
  type NodeMessage,
  type NodeProgram,
  PROGRAM_VARIABLE,
} from '../node/protocol.js';
import { NODE_PROGRAM } from './project.js';

/** What an action of a node answers. */
export type Answer<Action extends ActionName> = Awaited<ReturnType<NodeActions[Action]>>;

/** A node refused to do something. */
export class RefusedError extends Error {
  override readonly name = 'RefusedError';

  constructor(
    message: string,
    /** The code of the store's error; absent where the error is none of the store's. */
    readonly code: number | undefined,
  ) {
    super(message);
  }
}

/** A node ended before it had answered: what it was asked to do may have happened. */
export class NodeGoneError extends Error {
  override readonly name = 'NodeGoneError';
}

interface PendingAction {
  resolve(result: unknown): void;
  reject(error: Error): void;
}

/** How much of a log is worth showing. */
const LOGGED_LENGTH = 8_000;

/** One process of a node, from its start to its end. */
export class NodeProcess {
  /** Resolves when the process has ended. */
  readonly exited: Promise<void>;
  private readonly child: ChildProcess;
  private readonly pending = new Map<number, PendingAction>();
  private readonly started: Promise<void>;
  private lastId = 0;
  private hasStarted = false;

  /**
   * @param logFile gets what the process prints.
   * @param programFile starts a node. Default: one of this source.
   */
  constructor(
    program: NodeProgram,
    private readonly logFile: string,
    programFile = NODE_PROGRAM,
  ) {
    const output = openSync(logFile, 'a');
    this.child = fork(programFile, {
      env: { ...process.env, [PROGRAM_VARIABLE]: JSON.stringify(program) },
      execArgv: ['--expose-gc', '--enable-source-maps'],
      serialization: 'advanced',
      stdio: ['ignore', output, output, 'ipc'],
    });
    closeSync(output);
    this.exited = once(this.child, 'close').then(() => this.rejectPending());
    this.started = new Promise((resolve) => {
      this.child.on('message', (message) => {
        const heard = message as NodeMessage;
        if (heard.kind === 'started') {
          this.hasStarted = true;
          resolve();
        } else {
          this.hear(heard);
        }
      });
    });
    // Writing to a process that has just ended fails; its end is heard of by itself.
    this.child.on('error', () => undefined);
  }

  get isRunning(): boolean {
    return this.child.exitCode === null && this.child.signalCode === null;
  }

  /** How the process ended, in a word. */
  get ending(): string {
    return String(this.child.signalCode ?? this.child.exitCode);
  }

  /** The latest of what it has printed. */
  get log(): string {
    return readFileSync(this.logFile, 'utf8').slice(-LOGGED_LENGTH);
  }

  /** Waits until the application has started. @returns false when the process ended instead. */
  async untilStarted(): Promise<boolean> {
    await Promise.race([this.started, this.exited]);
    return this.hasStarted && this.isRunning;
  }

  /**
   * Asks for an action and waits for its answer, however long that takes.
   *
   * @throws RefusedError; NodeGoneError.
   */
  async ask<Action extends ActionName>(
    action: Action,
    ...args: Parameters<NodeActions[Action]>
  ): Promise<Answer<Action>> {
    const request: ActionRequest = { id: ++this.lastId, action, args };
    return (await new Promise((resolve, reject) => {
      if (!this.isRunning || !this.child.connected) {
        reject(this.goneError());
        return;
      }
      this.pending.set(request.id, { resolve, reject });
      // What cannot be sent is never answered; the end of the process says so.
      this.child.send(request, () => undefined);
    })) as Answer<Action>;
  }

  signal(signal: 'SIGKILL' | 'SIGTERM' | 'SIGSTOP' | 'SIGCONT'): void {
    this.child.kill(signal);
  }

  private hear(message: Exclude<NodeMessage, { kind: 'started' }>): void {
    const pending = this.pending.get(message.id);
    this.pending.delete(message.id);
    if (message.kind === 'answered') {
      pending?.resolve(message.result);
    } else {
      pending?.reject(new RefusedError(message.message, message.code));
    }
  }

  private rejectPending(): void {
    this.pending.forEach(({ reject }) => reject(this.goneError()));
    this.pending.clear();
  }

  private goneError(): NodeGoneError {
    return new NodeGoneError(`The process ended (${this.ending}).`);
  }
}
