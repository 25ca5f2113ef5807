import type {
  CronStoreEngine,
  CronStoreOptions,
  DefaultSchedule,
  RunEvent,
  ScheduleManager,
} from '../../../lib/index.js';

/** The jobs that schedules of a soak have, by what their handlers do. */
export type JobName =
  /** Returns at once. */
  | 'quick'
  /** Returns after the ms that its params say, and throws when its signal aborts before. */
  | 'slow'
  /** As `slow`, but does not heed its signal. */
  | 'deaf'
  /** Throws in every other run. */
  | 'failing'
  /** Settles when its signal aborts. */
  | 'endless'
  /** Keeps the event loop from turning, for the ms that its params say. */
  | 'blocking'
  /** Kills its process in most runs. */
  | 'killing'
  /** Writes two rows in its transaction, with the ms between them that its params say; throws in every fourth run. */
  | 'transactional';

/** Every job but the one that kills its process. */
export const HARMLESS_JOBS = [
  'quick',
  'slow',
  'deaf',
  'failing',
  'endless',
  'blocking',
  'transactional',
] as const satisfies readonly JobName[];

/** What a handler throws that is to throw now and then. */
export const DELIBERATE_ERROR = 'The handler throws, as it does now and then.';

/** Params of every schedule. */
export interface JobParams {
  readonly ms: number;
}

/** What a node is started with. */
export interface NodeProgram {
  /** The application name of its connections. */
  readonly name: string;
  readonly databaseUrl: string;
  /** Where its handlers write down what they do. */
  readonly recordFile: string;
  readonly store: CronStoreOptions;
  readonly jobs: readonly JobName[];
  /** Schedules that the code brings along, by their jobs. Default: none. */
  readonly defaultSchedules?: Readonly<Partial<Record<JobName, DefaultSchedule>>> | undefined;
  /** Whether every handler is quick and good from the start. */
  readonly isSettling: boolean;
}

/** What a process uses at a moment. */
export interface Sample {
  readonly rssBytes: number;
  /** After a garbage collection. */
  readonly heapBytes: number;
  /** What keeps the process busy, by kind. */
  readonly resources: Readonly<Record<string, number>>;
}

/** What a node can be asked to do. */
export type NodeActions = Pick<
  ScheduleManager,
  | 'backfill'
  | 'cancelRun'
  | 'cancelRunsOf'
  | 'create'
  | 'delete'
  | 'hold'
  | 'patch'
  | 'pause'
  | 'release'
  | 'rerun'
  | 'resume'
  | 'triggerNow'
  | 'update'
> &
  Pick<CronStoreEngine, 'status'> & {
    sample(): Sample;
    /** From now on every handler is quick and good. */
    settle(): void;
  };

export type ActionName = keyof NodeActions;

export interface ActionRequest {
  readonly id: number;
  readonly action: ActionName;
  readonly args: readonly unknown[];
}

/** From a node. */
export type NodeMessage =
  | { readonly kind: 'started' }
  | { readonly kind: 'answered'; readonly id: number; readonly result: unknown }
  | {
      readonly kind: 'refused';
      readonly id: number;
      readonly message: string;
      readonly code: number | undefined;
    };

/** What a handler did, as it wrote it down itself. */
export interface DeedRecord {
  readonly kind: 'deed';
  /** By a clock that all processes of the machine share and nobody sets, in ms. */
  readonly atMs: number;
  readonly nodeId: string;
  readonly deed: 'started' | 'returned' | 'threw' | 'aborted';
  readonly runId: string;
  readonly scheduleId: string;
  readonly scheduledAtUnixMs: number;
  readonly attempt: number;
  readonly fence: number;
  readonly idempotencyKey: string;
}

/** An event that a node emitted. */
export interface EventRecord {
  readonly kind: 'event';
  readonly nodeId: string;
  readonly name: string;
  readonly runId: string;
}

export type NodeRecord = DeedRecord | EventRecord;

/** The events that say how a run ended. */
export type EndEvent = Pick<RunEvent, 'runId'>;

/** The variable that carries a `NodeProgram` as JSON. */
export const PROGRAM_VARIABLE = 'SOAK_NODE_PROGRAM';
