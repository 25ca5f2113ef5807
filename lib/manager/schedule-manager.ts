import { Inject, Injectable } from '@nestjs/common';
import { RUN_MISSED_EVENT, RunEventPublisher, runFacts } from '../events/index.js';
import { JobHandlerRegistry } from '../jobs/index.js';
import { CRON_STORE_OPTIONS, type ResolvedOptions } from '../options/index.js';
import {
  defineSchedule,
  JobNotRegisteredError,
  knownFields,
  SPEC_FIELDS,
  ScheduleConflictError,
  ScheduleDisabledError,
  ScheduleExistsError,
  ScheduleInvalidError,
  ScheduleNotFoundError,
  StoreDisabledError,
  type Run,
  type Schedule,
  type ScheduleDefinition,
  type SchedulePatch,
  type ScheduleSpec,
} from '../schedules/index.js';
import {
  CRON_STORE_STORAGE,
  insertRuns,
  mintId,
  missedRun,
  type NewRun,
  type Storage,
  type Transaction,
} from '../storage/index.js';
import { runSelectionOf, scheduleSelectionOf, type RunFilter, type ScheduleFilter } from './filters.js';
import type { MutationOptions } from './mutation-options.js';
import { Mutations, type Attempt, type Change, type MutationScope } from './mutations.js';
import { nextFiresOf } from './next-fires.js';
import { patchedSpec } from './patched-spec.js';
import { changeSchedule, pauseSchedule, positionOfNew, resumeSchedule } from './schedule-change.js';

/** A schedule and what it is about to do. */
export interface ScheduleDetail {
  readonly schedule: Schedule;
  /**
   * Logical times of the next fires, up to five. An overdue one is projected through the misfire policy, so that it may
   * lie in the past; empty when the schedule is paused, spent or parked.
   */
  readonly nextFiresUnixMs: readonly number[];
}

/** An accepted manual fire. */
export interface ManualFireReceipt {
  /** The request's id; the run that it becomes has it as its `idempotencyKey`. */
  readonly requestId: string;
}

/**
 * Manages schedules in code. Every change is one transaction: it happens as a whole, wakes the nodes when it commits,
 * and nothing of it happens when an error is thrown. A change holds the lock of the schedule's row, so that it is
 * ordered with every claim and every other change of that schedule.
 *
 * Every method throws StoreDisabledError (2705) where the module is imported with `enabled: false`, and a
 * ScheduleInvalidError (2706) for options or filters it cannot understand.
 */
@Injectable()
export class ScheduleManager {
  constructor(
    @Inject(CRON_STORE_STORAGE) private readonly enabledStorage: Storage | undefined,
    @Inject(CRON_STORE_OPTIONS) private readonly options: ResolvedOptions,
    private readonly registry: JobHandlerRegistry,
    private readonly events: RunEventPublisher,
    private readonly mutations: Mutations,
  ) {}

  /**
   * Creates a schedule. Its first fire is its first occurrence after now.
   *
   * @throws TriggerInvalidError (2703) for its trigger; ScheduleInvalidError (2706) for anything else that is wrong
   *   with it, and when it is enabled and would never fire; JobNotRegisteredError (2704); ScheduleExistsError (2701).
   */
  async create(spec: ScheduleSpec, options: MutationOptions = {}): Promise<Schedule> {
    const attempt: Attempt = { action: 'create', target: nameGivenIn(spec), params: spec };
    return this.mutations.run(attempt, options, () => {
      const definition = this.executable(defineSchedule(spec));
      return async ({ storage, executor, expectedVersion, ...context }) => {
        if (expectedVersion !== undefined) {
          throw new ScheduleInvalidError(
            'expectedVersion belongs to a schedule that exists; leave it out on create.',
          );
        }
        const position = positionOfNew(definition, context);
        const created = await storage.schedules.insert(
          executor,
          mintId(context.nowUnixMs),
          definition,
          position,
        );
        if (created === undefined) {
          throw new ScheduleExistsError(definition.name);
        }
        return { result: created, after: created };
      };
    });
  }

  /**
   * Replaces a schedule's whole definition: what the specification omits takes its default, so that omitting `enabled`
   * enables. Another `name` in it renames. The cursor moves only when the timing changes (occurrences already due are
   * then journaled as missed) or when the schedule becomes enabled without one; its history stays.
   *
   * @throws what `create` throws, and ScheduleNotFoundError (2700), ScheduleConflictError (2707).
   */
  async update(name: string, spec: ScheduleSpec, options: MutationOptions = {}): Promise<Schedule> {
    return this.redefine({ action: 'update', target: name, params: spec }, name, options, () => {
      const definition = this.executable(defineSchedule(spec, name));
      return () => definition;
    });
  }

  /**
   * Changes some of a schedule: what is not given stays as it is, the pause included. Timing as in `update`.
   *
   * @throws what `update` throws; JobNotRegisteredError only when the job name changes.
   */
  async patch(name: string, changes: SchedulePatch, options: MutationOptions = {}): Promise<Schedule> {
    return this.redefine({ action: 'patch', target: name, params: changes }, name, options, () => {
      const given = knownFields(changes, SPEC_FIELDS, 'the changes to a schedule');
      return (current) => {
        const definition = defineSchedule(patchedSpec(current, given));
        return definition.jobName === current.jobName ? definition : this.executable(definition);
      };
    });
  }

  /**
   * Deletes a schedule and its pending fire requests. Its runs stay in the journal; one that is running goes on.
   *
   * @throws ScheduleNotFoundError (2700); ScheduleConflictError (2707).
   */
  async delete(name: string, options: MutationOptions = {}): Promise<void> {
    await this.changeExisting({ action: 'delete', target: name }, name, options, async (current, scope) => {
      await scope.storage.schedules.delete(scope.executor, current.id);
      return { result: undefined, before: current };
    });
  }

  /**
   * Stops a schedule from firing; running runs are unaffected. Its cursor is kept, so that `resume` hands the gap to
   * the misfire policy. Pausing a paused schedule refreshes who paused it and when.
   *
   * @throws ScheduleNotFoundError (2700); ScheduleConflictError (2707).
   */
  async pause(name: string, options: MutationOptions = {}): Promise<Schedule> {
    return this.changeExisting({ action: 'pause', target: name }, name, options, async (current, scope) => {
      const enablement = pauseSchedule(current, scope);
      const paused = await scope.storage.schedules.setEnabled(scope.executor, current.id, enablement);
      return { result: paused, before: current, after: paused };
    });
  }

  /**
   * Lets a schedule fire again: what became due meanwhile is the misfire policy's. A parked schedule is evaluated
   * anew. Resuming one that is neither paused nor parked changes nothing.
   *
   * @throws ScheduleNotFoundError (2700); ScheduleConflictError (2707); TriggerInvalidError (2703) when a parked
   *   schedule still cannot be evaluated; ScheduleInvalidError (2706) when nothing is left to fire.
   */
  async resume(name: string, options: MutationOptions = {}): Promise<Schedule> {
    return this.changeExisting({ action: 'resume', target: name }, name, options, async (current, scope) => {
      if (current.isEnabled && current.state !== 'parked') {
        return { result: current, before: current, after: current };
      }
      const enablement = resumeSchedule(current, scope);
      const resumed = await scope.storage.schedules.setEnabled(scope.executor, current.id, enablement);
      return { result: resumed, before: current, after: resumed };
    });
  }

  /**
   * Fires a schedule once more, now, on one node that has its job. The cursor does not move. Under `forbid` with a run
   * active it is journaled `skipped`; when the schedule is paused before the fire is claimed, it waits for the resume.
   *
   * @throws ScheduleNotFoundError (2700); ScheduleDisabledError (2702) when paused; ScheduleConflictError (2707).
   */
  async triggerNow(name: string, options: MutationOptions = {}): Promise<ManualFireReceipt> {
    return this.changeExisting(
      { action: 'trigger_now', target: name },
      name,
      options,
      async (current, scope) => {
        if (!current.isEnabled) {
          throw new ScheduleDisabledError(name);
        }
        const { storage, executor, nowUnixMs, actor } = scope;
        const requestId = await storage.requests.addManual(executor, {
          scheduleId: current.id,
          nowUnixMs,
          actor,
        });
        return { result: { requestId }, after: { requestId } };
      },
    );
  }

  /**
   * Reads a schedule and its next fires.
   *
   * @throws ScheduleNotFoundError (2700).
   */
  async get(name: string): Promise<ScheduleDetail> {
    const { storage } = this;
    return this.read(async ({ executor, nowUnixMs }) => {
      const schedule = await storage.schedules.find(executor, validNameToFind(name));
      if (schedule === undefined) {
        throw new ScheduleNotFoundError(name);
      }
      return {
        schedule,
        nextFiresUnixMs: nextFiresOf(schedule, nowUnixMs, this.options.misfireThreshold),
      };
    });
  }

  /** Lists schedules by name. */
  async list(filter: ScheduleFilter = {}): Promise<Schedule[]> {
    const { storage } = this;
    const selection = scheduleSelectionOf(filter);
    return this.read(({ executor }) => storage.schedules.list(executor, selection));
  }

  /** Lists runs, the newest claim first. */
  async listRuns(filter: RunFilter = {}): Promise<Run[]> {
    const { storage } = this;
    const selection = runSelectionOf(filter);
    return this.read(({ executor }) => storage.journal.list(executor, selection));
  }

  private get storage(): Storage {
    if (this.enabledStorage === undefined) {
      throw new StoreDisabledError();
    }
    return this.enabledStorage;
  }

  private async read<Result>(work: (transaction: Transaction) => Promise<Result>): Promise<Result> {
    return this.storage.connections.transaction('manager', work);
  }

  private executable(definition: ScheduleDefinition): ScheduleDefinition {
    if (this.registry.get(definition.jobName) === undefined) {
      throw new JobNotRegisteredError(definition.jobName, this.registry.names());
    }
    return definition;
  }

  private async redefine(
    attempt: Attempt,
    name: string,
    options: MutationOptions,
    prepare: () => (current: Schedule) => ScheduleDefinition,
  ): Promise<Schedule> {
    let missed: NewRun[] = [];
    const changed = await this.mutations.run(attempt, options, () => {
      const define = prepare();
      return async (scope) => {
        const { storage, executor, nowUnixMs } = scope;
        const current = await lockExisting(scope, name);
        const definition = define(current);
        const change = changeSchedule(current, definition, scope);
        missed = change.missed === undefined ? [] : [missedRun(current, change.missed, nowUnixMs)];
        await insertRuns(executor, storage.schema, missed);
        const replaced = await storage.schedules.replace(executor, current.id, definition, change.position);
        return { result: replaced, before: current, after: replaced };
      };
    });
    if (options.transaction === undefined) {
      // Inside the caller's transaction nobody can tell whether it commits; the journal will.
      missed.forEach((run) =>
        this.events.publish(RUN_MISSED_EVENT, { ...runFacts(run), missedCount: run.missedCount }),
      );
    }
    return changed;
  }

  private async changeExisting<Result>(
    attempt: Attempt,
    name: string,
    options: MutationOptions,
    change: (current: Schedule, scope: MutationScope) => Promise<Change<Result>>,
  ): Promise<Result> {
    return this.mutations.run(
      attempt,
      options,
      () => async (scope) => change(await lockExisting(scope, name), scope),
    );
  }
}

/** Finds a schedule, locks it, and checks that it has the version the caller read. */
async function lockExisting(scope: MutationScope, name: string): Promise<Schedule> {
  const { storage, executor, expectedVersion } = scope;
  const current = await storage.schedules.findForUpdate(executor, validNameToFind(name));
  if (current === undefined) {
    throw new ScheduleNotFoundError(name);
  }
  if (expectedVersion !== undefined && current.version !== expectedVersion) {
    throw new ScheduleConflictError(name, expectedVersion, current.version);
  }
  return current;
}

/** For the audit trail, before anything was checked. */
function nameGivenIn(spec: unknown): unknown {
  try {
    return typeof spec === 'object' && spec !== null && 'name' in spec ? spec.name : undefined;
  } catch {
    return undefined;
  }
}

/** A name that no schedule can have is not looked up: there is none. */
function validNameToFind(name: unknown): string {
  if (typeof name !== 'string') {
    throw new ScheduleInvalidError('name is required: the name of the schedule, a string.');
  }
  if (name.includes('\0') || !name.isWellFormed()) {
    throw new ScheduleNotFoundError(name);
  }
  return name;
}
