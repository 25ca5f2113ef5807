import { join } from 'node:path';
import type { ActionName, NodeActions, NodeProgram } from '../../soak/node/protocol.js';
import { type Answer, NodeProcess } from '../../soak/support/node-process.js';
import type { OperatedNode } from '../../soak/support/operators.js';
import type { InstalledVersion } from './installed-version.js';

/** A node of some version: one process, from its start to its end. */
export class FleetNode implements OperatedNode {
  readonly affliction = 'none';
  /** The node's id in the store. */
  id = '';
  /** A sentence for an end that nobody asked for. */
  misdeed: string | undefined;
  private isEnding = false;

  private constructor(
    readonly name: string,
    readonly version: InstalledVersion,
    private readonly process: NodeProcess,
  ) {
    void process.exited.then(() => this.onExit());
  }

  /**
   * Starts a process and waits until its application has started.
   *
   * @param folder gets its log, and what its handlers write down.
   * @throws Error with the log, when it ends instead.
   */
  static async start(
    version: InstalledVersion,
    folder: string,
    program: Omit<NodeProgram, 'recordFile' | 'isSettling'>,
  ): Promise<FleetNode> {
    const file = join(folder, program.name);
    const process = new NodeProcess(
      { ...program, recordFile: `${file}.jsonl`, isSettling: false },
      `${file}.log`,
      version.programFile,
    );
    if (!(await process.untilStarted())) {
      throw new Error(`${program.name} did not start (${process.ending}):\n${process.log}`);
    }
    const node = new FleetNode(program.name, version, process);
    const { nodeId = '' } = await node.ask('status');
    node.id = nodeId;
    return node;
  }

  /** The latest of what it has printed. */
  get log(): string {
    return this.process.log;
  }

  async ask<Action extends ActionName>(
    action: Action,
    ...args: Parameters<NodeActions[Action]>
  ): Promise<Answer<Action>> {
    return this.process.ask(action, ...args);
  }

  /** Asks the process to end, and waits until it has. */
  async stop(): Promise<void> {
    await this.end('SIGTERM');
  }

  /** Ends the process as a crash does. */
  async kill(): Promise<void> {
    await this.end('SIGKILL');
  }

  private async end(signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    this.isEnding = true;
    this.process.signal(signal);
    await this.process.exited;
  }

  private onExit(): void {
    if (!this.isEnding) {
      this.misdeed = `${this.name} ended by itself (${this.process.ending}):\n${this.process.log}`;
    }
  }
}
