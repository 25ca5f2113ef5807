import type {
  CronStoreEngine,
  CronStoreOptions,
  DefaultSchedule,
  ScheduleManager,
} from '../../../lib/index.js';

/** What a job's handler does. Every handler records its start, its end, and that its signal was aborted. */
export type Behaviour =
  /** Returns at once. */
  | 'quick'
  /** Returns when the gate that is named like its schedule is open; throws when its signal aborts. */
  | 'gated'
  /** As `gated`, but does not heed its signal. */
  | 'gated, deaf'
  /** Never settles, and does not heed its signal. */
  | 'stuck'
  | 'throws'
  /** Keeps the event loop of its process from turning, until there is a file at the path that the schedule's params say. */
  | 'blocks'
  /** Kills its process. */
  | 'kills';

/** A job of a node. */
export interface JobProgram {
  readonly behaviour: Behaviour;
  /** Whether it runs in a transaction, in which it writes a row of `cluster_effect` before it behaves, and one after. */
  readonly transactional?: boolean;
  readonly defaultSchedule?: DefaultSchedule;
}

/** Options of the application's data source. */
export interface DataSourceProgram {
  /** Whether it is left to others to initialize it, so that the store is the first that needs the database. */
  readonly manualInitialization?: boolean;
  readonly connectTimeoutMS?: number;
}

/** What a node is started with. */
export interface NodeProgram {
  /** The node's name in the test, and the application name of its connections. */
  readonly name: string;
  readonly databaseUrl: string;
  /** How the application's data source connects to it. */
  readonly dataSource: DataSourceProgram;
  /** Where records go, whatever the node's own way to the database suffers. */
  readonly recordUrl: string;
  readonly store: CronStoreOptions;
  readonly jobs: Readonly<Record<string, JobProgram>>;
  /** How far the clock of the process is ahead, in ms. */
  readonly clockAheadMs: number;
  /** Whether the process dies between the commit of its first claim and the execution of what it claimed. */
  readonly diesAfterClaim: boolean;
  /** Whether the process dies as soon as it has recorded the success of a transactional run, before the commit. */
  readonly diesBeforeCommit: boolean;
}

/** What a test can ask a node to do. */
export type NodeActions = Pick<
  ScheduleManager,
  'create' | 'update' | 'patch' | 'delete' | 'pause' | 'resume' | 'triggerNow' | 'get' | 'list' | 'listRuns'
> &
  Pick<CronStoreEngine, 'status'>;

export type ActionName = keyof NodeActions;

/** From the test to a node. */
export interface ActionRequest {
  readonly id: number;
  readonly action: ActionName;
  readonly args: readonly unknown[];
}

/** From a node to the test. */
export type NodeMessage =
  | { readonly kind: 'started'; readonly nodeId: string }
  | { readonly kind: 'answered'; readonly id: number; readonly result: unknown }
  | { readonly kind: 'refused'; readonly id: number; readonly message: string; readonly code: unknown };

/** The variable that carries a `NodeProgram` as JSON. */
export const PROGRAM_VARIABLE = 'CLUSTER_NODE_PROGRAM';
