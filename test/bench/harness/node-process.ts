import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { ActionRequest, NodeActions, NodeMessage, NodeProgram } from './protocol.js';

type Answer<Action extends keyof NodeActions> = Awaited<ReturnType<NodeActions[Action]>>;

interface PendingAnswer {
  resolve(result: unknown): void;
  reject(error: Error): void;
}

const PROGRAM = fileURLToPath(new URL('node-program.js', import.meta.url));

/** For whoever looks into a node, such as `--cpu-prof`. */
const EXTRA_ARGUMENTS = process.env['BENCH_NODE_ARGUMENTS']?.split(' ') ?? [];

/** A process in which a contestant executes. */
export class NodeProcess {
  private readonly child: ChildProcess;
  private readonly exited: Promise<unknown>;
  private readonly pending = new Map<number, PendingAnswer>();
  private lastId = 0;

  private constructor(program: NodeProgram) {
    this.child = fork(PROGRAM, [JSON.stringify(program)], {
      execArgv: ['--expose-gc', ...EXTRA_ARGUMENTS],
      serialization: 'advanced',
      env: { ...process.env, NODE_ENV: 'production' },
      // What contestants have to say of themselves is not of interest, their errors are.
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    this.child.on('message', (message: NodeMessage) => this.hear(message));
    this.exited = once(this.child, 'exit').then(() => this.fail());
  }

  /** Starts a node, and waits until it executes. */
  static async start(program: NodeProgram): Promise<NodeProcess> {
    const node = new NodeProcess(program);
    await node.untilAnswered(0);
    return node;
  }

  async ask<Action extends keyof NodeActions>(
    action: Action,
    ...args: Parameters<NodeActions[Action]>
  ): Promise<Answer<Action>> {
    const request: ActionRequest = { id: ++this.lastId, action, args };
    const answer = this.untilAnswered(request.id);
    this.child.send(request);
    return (await answer) as Answer<Action>;
  }

  /** Ends it as a platform does. */
  async stop(): Promise<void> {
    this.child.kill('SIGTERM');
    await this.exited;
  }

  /** Ends it as a crash does. */
  async kill(): Promise<void> {
    this.child.kill('SIGKILL');
    await this.exited;
  }

  private async untilAnswered(id: number): Promise<unknown> {
    return new Promise((resolve, reject) => {
      this.pending.set(id, { resolve, reject });
    });
  }

  private hear(message: NodeMessage): void {
    const pending = this.pending.get(message.id);
    this.pending.delete(message.id);
    if ('error' in message) {
      pending?.reject(new Error(message.error));
    } else {
      pending?.resolve(message.result);
    }
  }

  private fail(): void {
    this.pending.forEach(({ reject }) => reject(new Error('The process of a node has ended.')));
    this.pending.clear();
  }
}
