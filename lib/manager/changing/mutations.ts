import { Inject, Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { CronStoreError } from '../../cron-store.error.js';
import { definedFields, StoreDisabledError, type Fields } from '../../schedules/index.js';
import { CRON_STORE_STORAGE, outliveDeadlocks, type Storage, type Transaction } from '../../storage/index.js';
import { AuditTrail, type AuditEntry } from '../audit/audit-trail.js';
import { mutationOf, type Mutation, type MutationOptions } from './mutation-options.js';

/** What schedules and runs are called in the audit trail and in the HTTP API. */
export const SCHEDULE_RESOURCE = 'sys/cron/schedule';
export const RUN_RESOURCE = 'sys/cron/run';

/** The code of an error that is none of ours, in the audit trail and in the HTTP API. */
export const UNEXPECTED_CODE = 1900;

/** What somebody attempts to change, for the audit trail. */
export interface Attempt {
  readonly resource: typeof SCHEDULE_RESOURCE | typeof RUN_RESOURCE;
  /** In the words of the HTTP API. */
  readonly action: string;
  /** The name of the schedule, or the id of the run, as it was given. */
  readonly target?: unknown;
  readonly params?: unknown;
  /** Whether it is made also where the store belongs to another environment. Default false. */
  readonly isForAnyEnvironment?: boolean;
  /** The options that this change has besides those of every change; they are on record with its params. */
  readonly ownOptions?: readonly string[];
}

/** Within what a change happens. */
export interface MutationScope extends Transaction {
  readonly storage: Storage;
  /** The id of who makes the change. */
  readonly actor: string;
  readonly expectedVersion: number | undefined;
}

/** What a change did. */
export interface Change<Result> {
  readonly result: Result;
  readonly before?: unknown;
  readonly after?: unknown;
  /** Whether there was nothing to change: that is neither recorded nor told to the nodes. Default false. */
  readonly isNeedless?: boolean;
}

/**
 * Runs changes of schedules, each as one transaction with its audit record and its wake-up: a transaction of its own,
 * or the caller's behind a savepoint, so that a refusal does not poison it. Attempts that fail are recorded too.
 */
@Injectable()
export class Mutations {
  constructor(
    @Inject(CRON_STORE_STORAGE) private readonly storage: Storage | undefined,
    private readonly audit: AuditTrail,
  ) {}

  /**
   * @param prepare checks what was given, before a connection is used, and returns the change.
   * @throws StoreDisabledError (2705) where the store is disabled; StoreEnvironmentError (2708) where it belongs to
   *   another environment; ScheduleInvalidError for the options; what `prepare` and the change throw.
   */
  async run<Result>(
    attempt: Attempt,
    options: MutationOptions,
    prepare: (ownOptions: Fields) => (scope: MutationScope) => Promise<Change<Result>>,
  ): Promise<Result> {
    const { storage } = this;
    if (storage === undefined) {
      throw new StoreDisabledError();
    }
    const startedAt = performance.now();
    const entry = entryOf(attempt);
    let mutation: Mutation | undefined;
    try {
      mutation = mutationOf(options, attempt.ownOptions ?? []);
      const { actor, request, expectedVersion, transaction } = mutation;
      const change = prepare(mutation.own);
      return await inTransaction(storage, attempt, transaction, async (within) => {
        const {
          result,
          before,
          after,
          isNeedless = false,
        } = await change({
          ...within,
          storage,
          actor: actor.id,
          expectedVersion,
        });
        if (isNeedless) {
          return result;
        }
        await this.audit.recordChange(storage, within, {
          ...entry,
          params: paramsOf(attempt, mutation),
          actor,
          request,
          before,
          after,
          outcome: 'success',
          code: 0,
          elapsedMs: performance.now() - startedAt,
        });
        await storage.wakeUp.send(within.executor);
        return result;
      });
    } catch (error) {
      await this.audit.record({
        ...entry,
        params: paramsOf(attempt, mutation),
        actor: mutation?.actor,
        request: mutation?.request,
        outcome: 'failed',
        code: error instanceof CronStoreError ? error.code : UNEXPECTED_CODE,
        elapsedMs: performance.now() - startedAt,
      });
      throw error;
    }
  }
}

async function inTransaction<Result>(
  storage: Storage,
  { isForAnyEnvironment = false }: Attempt,
  transaction: EntityManager | undefined,
  work: (transaction: Transaction) => Promise<Result>,
): Promise<Result> {
  if (transaction !== undefined) {
    return storage.withinCallersTransaction(transaction, async (within) => {
      if (!isForAnyEnvironment) {
        await storage.environment.refuseForeignWithin(within.executor);
      }
      return work(within);
    });
  }
  // Two renames that want each other's names may wait for each other, and so may a transaction of the host's that changes
  // our rows. Within a caller's transaction only the caller can do the whole of it again.
  const transactions = isForAnyEnvironment ? storage.connections : storage.environment;
  return outliveDeadlocks(() => transactions.transaction('manager', work));
}

function entryOf({ resource, action, target }: Attempt): Pick<AuditEntry, 'resource' | 'action' | 'target'> {
  return { resource, action, target: typeof target === 'string' ? target : undefined };
}

/** What was asked for: without who asked, which the record has beside it, and without the caller's transaction. */
function paramsOf({ params, ownOptions = [] }: Attempt, mutation: Mutation | undefined): unknown {
  const own = definedFields(Object.fromEntries(ownOptions.map((name) => [name, mutation?.own[name]])));
  if (Object.keys(own).length === 0) {
    return params;
  }
  return typeof params === 'object' ? { ...params, ...own } : own;
}
