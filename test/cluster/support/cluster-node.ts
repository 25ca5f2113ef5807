import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { pathToFileURL } from 'node:url';
import {
  type ActionName,
  type ActionRequest,
  type NodeActions,
  type NodeMessage,
  type NodeProgram,
  PROGRAM_VARIABLE,
} from '../node/protocol.js';
import { NODE_PROGRAM, SHIFTED_DATE } from './compile.js';

/** What an action of a node answers. */
type Answer<Action extends ActionName> = Awaited<ReturnType<NodeActions[Action]>>;

interface PendingAction {
  resolve(result: unknown): void;
  reject(error: Error): void;
}

/** Stands for the start of the node among the requests it answers. */
const START = 0;

/** What a node refused to do. */
export class NodeActionError extends Error {
  override readonly name = 'NodeActionError';

  constructor(
    message: string,
    /** The code of the store's error. */
    readonly code: unknown,
  ) {
    super(message);
  }
}

/** One node: a process that the test can talk to, stop, freeze and kill. */
export class ClusterNode {
  readonly exited: Promise<void>;
  private readonly child: ChildProcess;
  private readonly pending = new Map<number, PendingAction>();
  private readonly output: string[] = [];
  private readonly started: Promise<unknown>;
  private nodeId = '';
  private lastRequest = START;

  constructor(private readonly program: NodeProgram) {
    this.child = fork(NODE_PROGRAM, {
      env: { ...process.env, [PROGRAM_VARIABLE]: JSON.stringify(program) },
      execArgv: program.clockAheadMs === 0 ? [] : ['--import', pathToFileURL(SHIFTED_DATE).href],
      serialization: 'advanced',
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    this.child.stdout?.on('data', (text: Buffer) => this.output.push(String(text)));
    this.child.stderr?.on('data', (text: Buffer) => this.output.push(String(text)));
    this.child.on('message', (message) => this.hear(message as NodeMessage));
    this.started = this.untilAnswered(START);
    // Not its exit, which may come before the last of what it has printed.
    this.exited = once(this.child, 'close').then(() => this.onExit());
    // Whoever waits for the start hears of it.
    this.started.catch(() => undefined);
  }

  /** The node's name in the test. */
  get name(): string {
    return this.program.name;
  }

  /** The node's id in the store. */
  get id(): string {
    return this.nodeId;
  }

  get isAlive(): boolean {
    return this.child.exitCode === null && this.child.signalCode === null;
  }

  /** Everything that the process has printed. */
  get log(): string {
    return this.output.join('');
  }

  /** Resolves when the application has started. */
  async untilStarted(): Promise<void> {
    await this.started;
  }

  /** Asks the node to do something, and waits for the answer. */
  async ask<Action extends ActionName>(
    action: Action,
    ...args: Parameters<NodeActions[Action]>
  ): Promise<Answer<Action>> {
    const request: ActionRequest = { id: ++this.lastRequest, action, args };
    const answer = this.untilAnswered(request.id);
    this.child.send(request);
    return (await answer) as Answer<Action>;
  }

  /** Ends the process without any warning, as a crash does. Resolves when it is gone. */
  async kill(): Promise<void> {
    this.child.kill('SIGKILL');
    await this.exited;
  }

  /** Asks the process to end, as a platform does. Resolves when it has. */
  async stop(): Promise<void> {
    this.child.kill('SIGTERM');
    await this.exited;
  }

  /** Asks the process to end, and does not wait. */
  startStopping(): void {
    this.child.kill('SIGTERM');
  }

  /** Stops the process in its tracks: it neither computes nor answers, and its connections stay open. */
  freeze(): void {
    this.child.kill('SIGSTOP');
  }

  /** Lets a frozen process go on as if nothing had happened. */
  thaw(): void {
    this.child.kill('SIGCONT');
  }

  private hear(message: NodeMessage): void {
    switch (message.kind) {
      case 'started':
        this.nodeId = message.nodeId;
        this.take(START)?.resolve(undefined);
        break;
      case 'answered':
        this.take(message.id)?.resolve(message.result);
        break;
      case 'refused':
        this.take(message.id)?.reject(new NodeActionError(message.message, message.code));
        break;
    }
  }

  private async untilAnswered(id: number): Promise<unknown> {
    return new Promise((resolve, reject) => {
      this.pending.set(id, { resolve, reject });
    });
  }

  private take(id: number): PendingAction | undefined {
    const pending = this.pending.get(id);
    this.pending.delete(id);
    return pending;
  }

  private onExit(): void {
    const { exitCode, signalCode } = this.child;
    const gone = new Error(`The node ${this.name} ended (${String(signalCode ?? exitCode)}):\n${this.log}`);
    this.pending.forEach(({ reject }) => reject(gone));
    this.pending.clear();
  }
}
