import { Worker } from 'node:worker_threads';
import type { ClientConfig } from 'pg';
import type { StandInStatement } from '../../storage/index.js';
import { messageOf } from '../../error-reading.js';
import { codeFacts, StoreLogger } from '../../store-logger.js';
import type {
  HeartbeatWorkerOrder,
  HeartbeatWorkerReport,
  HeartbeatWorkerSettings,
  PreviousBeat,
} from './heartbeat-messages.js';
import { HEARTBEAT_PROGRAM } from './heartbeat-program.js';
import { OVERDUE_AFTER_INTERVALS } from './heartbeat-silence.js';

/** Bounds of how long the thread waits for the database before it tries anew. */
const LEAST_PATIENCE_MS = 1_000;
const MOST_PATIENCE_MS = 10_000;

/** What a heartbeat thread works with. */
export interface HeartbeatThreadContext {
  /** Resolves the options of a connection, as a thread can be given them; anew for each connection. */
  readonly connectionOptions: () => Promise<ClientConfig>;
  readonly statement: StandInStatement;
  readonly intervalMs: number;
  readonly abandonedAfterMs: number;
  readonly stuckAfterMs: number;
}

/** A thread that runs. */
interface RunningThread {
  readonly worker: Worker;
  /** Whether the program has begun: what never did would not the next time either. */
  hasBegun: boolean;
  connection: 'none' | 'being ordered' | 'open';
}

type ThreadState =
  | { readonly kind: 'none' | 'starting' | 'given up' | 'stopped' }
  | { readonly kind: 'running'; readonly thread: RunningThread };

/**
 * The worker thread that heartbeats in place of the main thread while a handler blocks the event loop, up to
 * `stuckAfter`. Everything is driven by the heartbeats of the main thread: after one that succeeded, which says that the
 * loop turns and that the database is there, the thread is started, started again after a crash, or told to connect.
 * Without it the main thread heartbeats as ever, and only a blocked loop falls silent.
 */
export class HeartbeatThread {
  private readonly logger = new StoreLogger();
  private state: ThreadState = { kind: 'none' };
  private isFailing = false;

  /** @param program of the thread; another one only in tests. */
  constructor(
    private readonly context: HeartbeatThreadContext,
    private readonly program: URL = HEARTBEAT_PROGRAM,
  ) {}

  /** A heartbeat of the main thread has succeeded. Never throws. @param previous how the one before went. */
  onBeat(previous: PreviousBeat = 'succeeded'): void {
    const { state } = this;
    if (state.kind === 'none') {
      void this.start();
    } else if (state.kind === 'running') {
      order(state.thread, { kind: 'beaten', previous });
      if (state.thread.connection === 'none') {
        void this.connect(state.thread);
      }
    }
  }

  /**
   * Ends the thread, and resolves when it is gone. At once, whatever the database does: a statement that has been sent
   * may still be executed, but does not bring back a node that has left.
   */
  async stop(): Promise<void> {
    const { state } = this;
    this.state = { kind: 'stopped' };
    if (state.kind === 'running') {
      await state.thread.worker.terminate();
    }
  }

  private async start(): Promise<void> {
    this.state = { kind: 'starting' };
    const connection = await this.resolveOptions();
    if (this.state.kind !== 'starting') {
      return;
    }
    if (connection === undefined) {
      this.state = { kind: 'none' };
      return;
    }
    try {
      this.state = { kind: 'running', thread: this.launch(connection) };
    } catch (error) {
      this.giveUp(reasonOf(error));
    }
  }

  private launch(connection: ClientConfig): RunningThread {
    const worker = new Worker(this.program, {
      name: 'cron-store-heartbeat',
      // What the process preloads, such as an agent that instruments the application, is not meant for this thread.
      execArgv: [],
      workerData: this.settingsOf(connection),
    });
    const thread: RunningThread = { worker, hasBegun: false, connection: 'being ordered' };
    let fault = 'it ended';
    worker.on('error', (error) => {
      fault = String(error);
    });
    worker.on('exit', () => this.onEnded(thread, fault));
    worker.on('message', (report: HeartbeatWorkerReport) => this.onReport(thread, report));
    // It serves the process, and is no reason for it to live.
    worker.unref();
    return thread;
  }

  private settingsOf(connection: ClientConfig): HeartbeatWorkerSettings {
    const { statement, intervalMs, abandonedAfterMs, stuckAfterMs } = this.context;
    // Two attempts have room between the first heartbeat that stands in and `abandonedAfter`.
    const patienceMs = (abandonedAfterMs - OVERDUE_AFTER_INTERVALS * intervalMs) / 2;
    return {
      statement,
      connection,
      intervalMs,
      stuckAfterMs,
      patienceMs: Math.min(Math.max(Math.floor(patienceMs), LEAST_PATIENCE_MS), MOST_PATIENCE_MS),
    };
  }

  /** A password may have expired since the last connection: it is resolved for each. */
  private async connect(thread: RunningThread): Promise<void> {
    thread.connection = 'being ordered';
    const connection = await this.resolveOptions();
    if (connection === undefined) {
      thread.connection = 'none';
    } else {
      order(thread, { kind: 'connect', connection });
    }
  }

  private async resolveOptions(): Promise<ClientConfig | undefined> {
    try {
      return await this.context.connectionOptions();
    } catch (error) {
      this.onFailure(error);
      return undefined;
    }
  }

  private onReport(thread: RunningThread, report: HeartbeatWorkerReport): void {
    thread.hasBegun = true;
    switch (report.kind) {
      case 'connected':
        thread.connection = 'open';
        this.isFailing = false;
        break;
      case 'disconnected':
        thread.connection = 'none';
        break;
      case 'unreachable':
        thread.connection = 'none';
        this.onFailure(report.reason);
        break;
      case 'stoodIn':
        this.logger.warn(
          `The heartbeat of the main thread did not come for ${report.silentMs} ms; a worker thread stood in for it ${report.beats === 1 ? 'once' : `${report.beats} times`}. Does a handler block the event loop?`,
        );
        break;
    }
  }

  private onEnded(thread: RunningThread, fault: string): void {
    if (this.state.kind !== 'running') {
      return;
    }
    if (thread.hasBegun) {
      this.logger.warn(`The worker thread for heartbeats failed, and is started again: ${fault}`);
      this.state = { kind: 'none' };
    } else {
      this.giveUp(fault);
    }
  }

  private onFailure(error: unknown): void {
    if (!this.isFailing) {
      this.logger.warn(
        `The worker thread for heartbeats has no connection, which is tried again with every heartbeat: ${messageOf(error)}`,
        codeFacts(error),
      );
    }
    this.isFailing = true;
  }

  private giveUp(reason: string): void {
    this.state = { kind: 'given up' };
    this.logger.warn(
      `No worker thread can stand in for heartbeats (${reason}). A handler that blocks the event loop for longer than abandonedAfter may lose its run; set stuckAfter to 0 if that is as it should be.`,
    );
  }
}

function order({ worker }: RunningThread, message: HeartbeatWorkerOrder): void {
  worker.postMessage(message);
}

/** The message for what cannot be handed over quotes it, which is more than a log should have. */
function reasonOf(error: unknown): string {
  const { name } = error as { readonly name?: unknown };
  return name === 'DataCloneError'
    ? 'the options of the data source hold something that cannot be handed to a thread, such as a function'
    : String(error);
}
