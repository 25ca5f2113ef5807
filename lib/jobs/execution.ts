import type { Type } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { RunOrigin } from '../schedules/index.js';
import type { AbortSource } from './abort-source.js';
import { decodeParams } from './params-decoder.js';

/** Identity of a tick: one occurrence of one schedule. It is the same in every attempt, and never fires again. */
export interface Occurrence {
  /** The schedule's id. Stays the same through renames. */
  readonly scheduleId: string;
  /** The logical fire time, in Unix ms. */
  readonly atUnixMs: number;
}

/** What is known about a run before its handler is invoked. */
export interface ExecutionFacts {
  /** The name of the store that the run is of; `'default'` is the unnamed one. */
  readonly store: string;
  /** The journal's id of the run. */
  readonly runId: string;
  /** The schedule's id. */
  readonly scheduleId: string;
  /** The schedule's name when the run was claimed. */
  readonly scheduleName: string;
  /** The job that is executed. */
  readonly jobName: string;
  /** The logical fire time, in Unix ms. */
  readonly scheduledAtUnixMs: number;
  /** The occurrence that the run is for, in Unix ms; undefined on a manual fire. */
  readonly occurrenceAtUnixMs?: number | undefined;
  /** Where the run comes from. */
  readonly origin: RunOrigin;
  /** 1 for the first execution, one more for each recovery and each retry. */
  readonly attempt: number;
  /** See `Execution.fence`. */
  readonly fence: number;
  /** See `Execution.idempotencyKey`. */
  readonly idempotencyKey: string;
  /** The params as they are stored; undefined when the schedule has none. */
  readonly params: unknown;
  readonly abort: AbortSource;
  /** The node that executes the run. */
  readonly nodeId: string;
}

const ABORT = Symbol('abort');

/** What an execution has and its type does not show, so that a plain object will do in a test. */
interface Hidden {
  [ABORT]: AbortSource;
}

/**
 * What a job handler is told about the run it executes: read-only, one object for each run.
 *
 * A class and not an interface, so that a decorated method can name it in its signature with an ordinary import; it
 * has no hidden members, so that a plain object will do in a test.
 */
export class Execution<P = unknown> {
  /** The name of the store that the run is of; `'default'` is the unnamed one. */
  readonly store: string;
  /** The journal's id of this run. */
  readonly runId: string;
  /** The schedule's id. Stays the same through renames. */
  readonly scheduleId: string;
  /** The schedule's name when the run was claimed. */
  readonly scheduleName: string;
  /** The job that is executed. */
  readonly jobName: string;
  /** The logical fire time in Unix ms; a catch-up or a recovery starts later than it. */
  readonly scheduledAtUnixMs: number;
  /** The occurrence that the run is for, in every attempt; absent on a manual fire, which is for none. */
  readonly occurrence?: Occurrence | undefined;
  /** Where the run comes from. */
  readonly origin: RunOrigin;
  /** 1 for the first execution of an occurrence or request, one more for each recovery and each retry. */
  readonly attempt: number;
  /**
   * Larger in every run of the schedule than in the runs before it, so in every attempt too. Keep the largest that you
   * have seen with what you write, and refuse a smaller one: an attempt that was taken over, and goes on, is shut out.
   * Known as a fencing token; see M. Kleppmann, "How to do distributed locking" (2016). There are gaps. After the restore
   * of a backup the numbers go on from those of the backup.
   */
  readonly fence: number;
  /**
   * Equal in every attempt of one occurrence or request, and in no other. A crash with `recover`, and a retry, execute again: pass this on to
   * whatever must happen only once, or remember it beside your own rows.
   */
  readonly idempotencyKey: string;
  /** The schedule's params: an instance of the handler's `params` class, else the JSON value as it was given. */
  readonly params: P;
  /** The node that executes the run. */
  readonly nodeId: string;
  /**
   * Decodes the params, as they were given, into an instance of `Dto`, and validates it.
   *
   * @throws ParamsInvalidError (as a rejection) with every fault; uncaught, it makes the run `failed`.
   */
  readonly bindParams: <T extends object>(Dto: Type<T>) => Promise<T>;

  /** @internal Nodes make it; tests have `buildExecution()`. */
  constructor(facts: ExecutionFacts, params: P) {
    this.store = facts.store;
    this.runId = facts.runId;
    this.scheduleId = facts.scheduleId;
    this.scheduleName = facts.scheduleName;
    this.jobName = facts.jobName;
    this.scheduledAtUnixMs = facts.scheduledAtUnixMs;
    this.occurrence = occurrenceOf(facts.scheduleId, facts.occurrenceAtUnixMs);
    this.origin = facts.origin;
    this.attempt = facts.attempt;
    this.fence = facts.fence;
    this.idempotencyKey = facts.idempotencyKey;
    this.params = params;
    this.nodeId = facts.nodeId;
    this.bindParams = (Dto) => decodeParams(Dto, facts.params);
    (this as unknown as Hidden)[ABORT] = facts.abort;
    if (new.target === Execution) {
      Object.freeze(this);
    }
  }

  /**
   * Aborted when the run should stop: its timeout passed, its node is shutting down, or another node took it over.
   * Pass it on to `fetch` and the like; a handler that ignores it cannot be stopped.
   */
  get signal(): AbortSignal {
    return (this as unknown as Hidden)[ABORT].signal;
  }

  /** The logical fire time. A new `Date` at each reading: changing it changes nothing here. */
  get scheduledAt(): Date {
    return new Date(this.scheduledAtUnixMs);
  }
}

/** What a transactional handler is told about the run it executes. */
export class TransactionalExecution<P = unknown> extends Execution<P> {
  /**
   * The transaction that also writes the run's `succeeded` record, of the application's data source, READ COMMITTED.
   * What is done with this manager is committed together with that record, or not at all. It ends when the handler has
   * returned: wait for everything, and neither commit, roll back nor release it.
   */
  readonly manager: EntityManager;

  /** @internal Nodes make it; tests have `buildTransactionalExecution()`. */
  constructor(facts: ExecutionFacts, params: P, manager: EntityManager) {
    super(facts, params);
    this.manager = manager;
    Object.freeze(this);
  }
}

/** The occurrence of a run, or undefined where it is for none. */
export function occurrenceOf(
  scheduleId: string,
  occurrenceAtUnixMs: number | undefined,
): Occurrence | undefined {
  return occurrenceAtUnixMs === undefined
    ? undefined
    : Object.freeze({ scheduleId, atUnixMs: occurrenceAtUnixMs });
}
