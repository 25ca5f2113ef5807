import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { CronStoreOptions } from '../../../lib/index.js';
import { DatabaseProxy } from '../../cluster/support/database-proxy.js';
import type { ActionName, JobName, NodeActions } from '../node/protocol.js';
import { NodeGoneError, NodeProcess, type Answer } from './node-process.js';

/** How a node of a soak is. */
export interface SoakNodeOptions {
  readonly name: string;
  readonly databaseUrl: string;
  /** Where its processes write down what their handlers do, in a file each, and their logs. */
  readonly folder: string;
  readonly store: CronStoreOptions;
  readonly jobs: readonly JobName[];
  /** Whether its process is to live from the start to the end. */
  readonly isSteady: boolean;
}

/** What is being done to a node. */
export type Affliction = 'none' | 'restarting' | 'frozen' | 'cut off';

/** How long a process may take to end when it is asked to: many times what its bounds add up to. */
const LONGEST_STOP_MS = 300_000;
const BOOT_RETRY_MS = 200;

/** A node of a soak: its way to the database, and one process after the other. */
export class SoakNode {
  affliction: Affliction = 'none';
  /** Sentences for what a process of this node did that none may do. */
  readonly misdeeds: string[] = [];
  bootFailures = 0;
  /** How long each start of a process took, in ms. */
  readonly bootTimesMs: number[] = [];
  /** How often a handler has killed the process. */
  suicides = 0;
  private process: NodeProcess | undefined;
  private processCount = 0;
  private isSettling = false;
  private isEnding = false;

  private constructor(
    readonly options: SoakNodeOptions,
    readonly proxy: DatabaseProxy,
  ) {}

  /** A node, started. */
  static async start(options: SoakNodeOptions): Promise<SoakNode> {
    const node = new SoakNode(options, await DatabaseProxy.open(options.databaseUrl));
    await node.boot();
    return node;
  }

  get name(): string {
    return this.options.name;
  }

  get isUp(): boolean {
    return this.affliction === 'none' && this.process?.isRunning === true;
  }

  /** Asks the process of now for an action. @throws RefusedError; NodeGoneError. */
  async ask<Action extends ActionName>(
    action: Action,
    ...args: Parameters<NodeActions[Action]>
  ): Promise<Answer<Action>> {
    if (this.process === undefined) {
      throw new NodeGoneError('The node is down.');
    }
    return this.process.ask(action, ...args);
  }

  /** Ends the process as a crash does. */
  async kill(): Promise<void> {
    this.isEnding = true;
    this.process?.signal('SIGKILL');
    await this.process?.exited;
  }

  /** Asks the process to end, and waits until it has. */
  async stop(): Promise<void> {
    const { process } = this;
    if (process === undefined) {
      return;
    }
    this.isEnding = true;
    process.signal('SIGTERM');
    const patience = new AbortController();
    const hasStopped = await Promise.race([
      process.exited.then(() => true),
      delay(LONGEST_STOP_MS, false, { signal: patience.signal }).catch(() => true),
    ]);
    patience.abort();
    if (!hasStopped) {
      this.misdeeds.push(`${this.name} did not end within ${LONGEST_STOP_MS} ms of SIGTERM:\n${process.log}`);
      await this.kill();
    }
  }

  freeze(): void {
    this.process?.signal('SIGSTOP');
  }

  thaw(): void {
    this.process?.signal('SIGCONT');
  }

  /** From now on its handlers are quick and good, also those of later processes. */
  async settle(): Promise<void> {
    this.isSettling = true;
    await this.process?.ask('settle').catch(() => undefined);
  }

  /** Starts a process, again and again where the database is not there for it. */
  async boot(): Promise<void> {
    for (;;) {
      this.isEnding = false;
      const { name, folder, store, jobs } = this.options;
      const file = join(folder, `${name}-${++this.processCount}`);
      const process = new NodeProcess(
        {
          name,
          databaseUrl: this.proxy.url,
          recordFile: `${file}.jsonl`,
          store,
          jobs,
          isSettling: this.isSettling,
        },
        `${file}.log`,
      );
      this.process = process;
      const startedAt = performance.now();
      const hasStarted = await process.untilStarted();
      if (hasStarted) {
        this.bootTimesMs.push(performance.now() - startedAt);
        void process.exited.then(() => this.onExit(process));
        return;
      }
      this.bootFailures += 1;
      this.judgeFailedBoot(process);
      await delay(BOOT_RETRY_MS);
    }
  }

  /** Nothing is done to it any more: it goes on, with a new process where it has none. */
  async heal(): Promise<void> {
    if (this.process?.isRunning !== true) {
      await this.boot();
    }
    this.affliction = 'none';
  }

  /** Ends whatever still lives. */
  async close(): Promise<void> {
    this.thaw();
    await this.kill();
    await this.proxy.close();
  }

  /** A handler may kill the process; a process that ends by itself must not. */
  private onExit(process: NodeProcess): void {
    if (this.isEnding) {
      return;
    }
    const mayDie = this.options.jobs.includes('killing');
    if (process.ending === 'SIGKILL' && mayDie) {
      this.suicides += 1;
    } else {
      this.misdeeds.push(`A process of ${this.name} ended by itself (${process.ending}):\n${process.log}`);
    }
    if (this.affliction === 'none') {
      this.affliction = 'restarting';
      void this.heal();
    }
  }

  /** A boot may fail for want of the database, and for nothing else. */
  private judgeFailedBoot(process: NodeProcess): void {
    const isForWantOfDatabase =
      /ECONNRE|terminat|Connection|connection|database system|recovery mode|57P0|timeout|EPIPE/.test(
        process.log,
      );
    const isKilled = process.ending === 'SIGKILL';
    if (!isForWantOfDatabase && !isKilled) {
      this.misdeeds.push(`A process of ${this.name} did not start (${process.ending}):\n${process.log}`);
    }
  }
}
