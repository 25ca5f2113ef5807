import type { RunOrigin } from '../schedules/index.js';

/** A node is about to invoke the handler of a fire that it claimed. */
export const RUN_STARTED_EVENT = 'cron.run.started';
/** The handler returned. */
export const RUN_SUCCEEDED_EVENT = 'cron.run.succeeded';
/** The handler threw or timed out, its params did not validate, an interceptor failed, or its schedule is unreadable. */
export const RUN_FAILED_EVENT = 'cron.run.failed';
/** The misfire policy, or an edit, decided that occurrences never run. */
export const RUN_MISSED_EVENT = 'cron.run.missed';
/** A fire was suppressed by the concurrency policy `forbid` or `queue`. */
export const RUN_SKIPPED_EVENT = 'cron.run.skipped';
/** A run was interrupted by graceful shutdown, an operator, or the fire that replaces it. */
export const RUN_CANCELED_EVENT = 'cron.run.canceled';
/** The node of a run stopped heartbeating, and another one took the run over. */
export const RUN_ABANDONED_EVENT = 'cron.run.abandoned';

/** What every event tells about its run. Payloads are frozen, plain values that JSON can carry. */
export class RunEvent {
  /** The name of the store; `'default'` is the unnamed one. */
  readonly store: string;
  /** The journal's id of the run. */
  readonly runId: string;
  /** The schedule's id. Stays the same through renames. */
  readonly scheduleId: string;
  /** The schedule's name when the run was journaled. */
  readonly scheduleName: string;
  /** The job of the schedule. */
  readonly jobName: string;
  /** Where the run comes from. */
  readonly origin: RunOrigin;
  /** 1 for the first execution of an occurrence or request, one more for each recovery and each retry. */
  readonly attempt: number;
  /** The logical fire time in Unix ms; of missed occurrences the first. */
  readonly scheduledAtUnixMs: number;

  constructor(run: RunEvent) {
    this.store = run.store;
    this.runId = run.runId;
    this.scheduleId = run.scheduleId;
    this.scheduleName = run.scheduleName;
    this.jobName = run.jobName;
    this.origin = run.origin;
    this.attempt = run.attempt;
    this.scheduledAtUnixMs = run.scheduledAtUnixMs;
  }
}

/** Payload of `cron.run.started`. */
export class RunStartedEvent extends RunEvent {
  /** The node that executes the run. */
  readonly nodeId: string;

  constructor(run: RunStartedEvent) {
    super(run);
    this.nodeId = run.nodeId;
    Object.freeze(this);
  }
}

/** Payload of `cron.run.succeeded`. */
export class RunSucceededEvent extends RunEvent {
  /** The node that executed the run. */
  readonly nodeId: string;
  /** How long the handler ran, in ms by a monotonic clock. */
  readonly durationMs: number;

  constructor(run: RunSucceededEvent) {
    super(run);
    this.nodeId = run.nodeId;
    this.durationMs = run.durationMs;
    Object.freeze(this);
  }
}

/** Payload of `cron.run.failed`. */
export class RunFailedEvent extends RunEvent {
  /** The node that executed the run, or that found its schedule impossible to evaluate. */
  readonly nodeId: string;
  /** The failure's message, as it is journaled: at most 8,000 characters. */
  readonly error: string;
  /** Whether another attempt follows; false without `retry`, and after the last attempt. */
  readonly willRetry: boolean;

  constructor(run: RunFailedEvent) {
    super(run);
    this.nodeId = run.nodeId;
    this.error = run.error;
    this.willRetry = run.willRetry;
    Object.freeze(this);
  }
}

/** Payload of `cron.run.missed`: one for a whole gap. No node executed anything. */
export class RunMissedEvent extends RunEvent {
  /** How many occurrences never run, exactly. */
  readonly missedCount: number;

  constructor(run: RunMissedEvent) {
    super(run);
    this.missedCount = run.missedCount;
    Object.freeze(this);
  }
}

/** Payload of `cron.run.skipped`. No node executed anything. */
export class RunSkippedEvent extends RunEvent {
  constructor(run: RunSkippedEvent) {
    super(run);
    Object.freeze(this);
  }
}

/** Payload of `cron.run.canceled`. */
export class RunCanceledEvent extends RunEvent {
  /** The node that executed the run. */
  readonly nodeId: string;
  /** Whether the run is fired again: only what a shutdown interrupted is, and only with `recover`. */
  readonly willRecover: boolean;

  constructor(run: RunCanceledEvent) {
    super(run);
    this.nodeId = run.nodeId;
    this.willRecover = run.willRecover;
    Object.freeze(this);
  }
}

/** Payload of `cron.run.abandoned`. */
export class RunAbandonedEvent extends RunEvent {
  /** The node that executed the run and stopped heartbeating. */
  readonly nodeId: string;
  /** Whether the run is fired again; false without `recover`, and when `maxRecoveries` is exhausted. */
  readonly willRecover: boolean;

  constructor(run: RunAbandonedEvent) {
    super(run);
    this.nodeId = run.nodeId;
    this.willRecover = run.willRecover;
    Object.freeze(this);
  }
}

/** The payload of each event. */
export interface RunEvents {
  /** A node is about to invoke the handler. */
  [RUN_STARTED_EVENT]: RunStartedEvent;
  /** The handler returned. */
  [RUN_SUCCEEDED_EVENT]: RunSucceededEvent;
  /** A run failed. */
  [RUN_FAILED_EVENT]: RunFailedEvent;
  /** Occurrences never run. */
  [RUN_MISSED_EVENT]: RunMissedEvent;
  /** The concurrency policy suppressed a fire. */
  [RUN_SKIPPED_EVENT]: RunSkippedEvent;
  /** A run was interrupted. */
  [RUN_CANCELED_EVENT]: RunCanceledEvent;
  /** A run was taken over from a node that fell silent. */
  [RUN_ABANDONED_EVENT]: RunAbandonedEvent;
}

/** The name of an event. */
export type RunEventName = keyof RunEvents;

/** The class of each event's payload. It copies its own fields only, whatever else the given record carries. */
export const RUN_EVENT_CLASSES: {
  readonly [Name in RunEventName]: new (run: RunEvents[Name]) => RunEvents[Name];
} = {
  [RUN_STARTED_EVENT]: RunStartedEvent,
  [RUN_SUCCEEDED_EVENT]: RunSucceededEvent,
  [RUN_FAILED_EVENT]: RunFailedEvent,
  [RUN_MISSED_EVENT]: RunMissedEvent,
  [RUN_SKIPPED_EVENT]: RunSkippedEvent,
  [RUN_CANCELED_EVENT]: RunCanceledEvent,
  [RUN_ABANDONED_EVENT]: RunAbandonedEvent,
};
