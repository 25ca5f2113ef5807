import type { Database } from './database.js';
import type { Recorder } from './recorder.js';

/** What is to be executed in a measurement. */
export interface Fires {
  readonly count: number;
  /** When the first is due, in Unix ms. */
  readonly firstAtUnixMs: number;
  /** Over how long the others follow, evenly. Default 0: all are due at once. */
  readonly spreadMs?: number;
  /** How often each of them repeats. Default daily. */
  readonly every?: 'second' | 'day';
}

/** What a node is started with. */
export interface NodeContext {
  readonly url: string;
  readonly recorder: Recorder;
  /** What the row wants otherwise than the contestant has it. */
  readonly settings: Readonly<Record<string, unknown>>;
}

/** How a fire is asked for: of what is stored already, or together with what is to fire. */
export type RequestKind = 'trigger' | 'create';

/** A node that executes what is due. */
export interface RunningNode {
  /** Asks for one more fire at once; when it was asked for, in Unix ms. */
  request(kind: RequestKind): Promise<number>;
  /** Asks the management API, where there is one, for an action of a resource. */
  manage?(action: string, params: Readonly<Record<string, unknown>>): Promise<void>;
  stop(): Promise<void>;
}

/** A way to execute what is due, on PostgreSQL. */
export interface Contestant {
  /** Makes its tables in an empty database. */
  prepare(url: string): Promise<void>;
  /** Stores what is to be executed. */
  store(database: Database, fires: Fires): Promise<void>;
  /** SQL for whether something that was started is not recorded as finished yet. */
  readonly hasUnfinishedSql: string;
  /** Starts to execute, in the process of a node. */
  start(context: NodeContext): Promise<RunningNode>;
}

/** A contestant under the name by which it is chosen. */
export interface NamedContestant extends Contestant {
  readonly name: string;
}
