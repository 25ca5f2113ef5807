import { Inject, Injectable } from '@nestjs/common';
import { RUN_MISSED_EVENT, RunEventPublisher, runFacts } from '../events/index.js';
import { JobHandlerRegistry } from '../jobs/index.js';
import { CRON_STORE_OPTIONS, type ResolvedOptions } from '../options/index.js';
import {
  defineSchedule,
  JobNotRegisteredError,
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
import { actorOf, expectedVersionOf, mutate, type MutationOptions } from './mutation.js';
import { nextFiresOf } from './next-fires.js';
import { patchedSpec } from './patched-spec.js';
import {
  changeSchedule,
  pauseSchedule,
  positionOfNew,
  resumeSchedule,
  type ChangeContext,
} from './schedule-change.js';

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
  ) {}

  /**
   * Creates a schedule. Its first fire is its first occurrence after now.
   *
   * @throws TriggerInvalidError (2703) for its trigger; ScheduleInvalidError (2706) for anything else that is wrong
   *   with it, and when it is enabled and would never fire; JobNotRegisteredError (2704); ScheduleExistsError (2701).
   */
  async create(spec: ScheduleSpec, options: MutationOptions = {}): Promise<Schedule> {
    const { storage } = this;
    const definition = this.executable(defineSchedule(spec));
    const actor = actorOf(options);
    if (expectedVersionOf(options) !== undefined) {
      throw new ScheduleInvalidError(
        'expectedVersion belongs to a schedule that exists; leave it out on create.',
      );
    }
    return mutate(storage, options, async ({ executor, nowUnixMs }) => {
      const position = positionOfNew(definition, { nowUnixMs, actor });
      const created = await storage.schedules.insert(executor, mintId(nowUnixMs), definition, position);
      if (created === undefined) {
        throw new ScheduleExistsError(definition.name);
      }
      return created;
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
    return this.change(name, options, () => this.executable(defineSchedule(spec, name)));
  }

  /**
   * Changes some of a schedule: what is not given stays as it is, the pause included. Timing as in `update`.
   *
   * @throws what `update` throws; JobNotRegisteredError only when the job name changes.
   */
  async patch(name: string, changes: SchedulePatch, options: MutationOptions = {}): Promise<Schedule> {
    if (typeof changes !== 'object' || changes === null || Array.isArray(changes)) {
      throw new ScheduleInvalidError('The changes to a schedule must be an object.');
    }
    return this.change(name, options, (current) => {
      const definition = defineSchedule(patchedSpec(current, changes));
      return definition.jobName === current.jobName ? definition : this.executable(definition);
    });
  }

  /**
   * Deletes a schedule and its pending fire requests. Its runs stay in the journal; one that is running goes on.
   *
   * @throws ScheduleNotFoundError (2700); ScheduleConflictError (2707).
   */
  async delete(name: string, options: MutationOptions = {}): Promise<void> {
    const { storage } = this;
    await this.mutateExisting(name, options, async (current, { executor }) =>
      storage.schedules.delete(executor, current.id),
    );
  }

  /**
   * Stops a schedule from firing; running runs are unaffected. Its cursor is kept, so that `resume` hands the gap to
   * the misfire policy. Pausing a paused schedule refreshes who paused it and when.
   *
   * @throws ScheduleNotFoundError (2700); ScheduleConflictError (2707).
   */
  async pause(name: string, options: MutationOptions = {}): Promise<Schedule> {
    const { storage } = this;
    return this.mutateExisting(name, options, async (current, { executor }, context) =>
      storage.schedules.setEnabled(executor, current.id, pauseSchedule(current, context)),
    );
  }

  /**
   * Lets a schedule fire again: what became due meanwhile is the misfire policy's. A parked schedule is evaluated
   * anew. Resuming one that is neither paused nor parked changes nothing.
   *
   * @throws ScheduleNotFoundError (2700); ScheduleConflictError (2707); TriggerInvalidError (2703) when a parked
   *   schedule still cannot be evaluated; ScheduleInvalidError (2706) when nothing is left to fire.
   */
  async resume(name: string, options: MutationOptions = {}): Promise<Schedule> {
    const { storage } = this;
    return this.mutateExisting(name, options, async (current, { executor }, context) =>
      current.isEnabled && current.state !== 'parked'
        ? current
        : storage.schedules.setEnabled(executor, current.id, resumeSchedule(current, context)),
    );
  }

  /**
   * Fires a schedule once more, now, on one node that has its job. The cursor does not move. Under `forbid` with a run
   * active it is journaled `skipped`; when the schedule is paused before the fire is claimed, it waits for the resume.
   *
   * @throws ScheduleNotFoundError (2700); ScheduleDisabledError (2702) when paused; ScheduleConflictError (2707).
   */
  async triggerNow(name: string, options: MutationOptions = {}): Promise<ManualFireReceipt> {
    const { storage } = this;
    return this.mutateExisting(name, options, async (current, { executor }, { nowUnixMs, actor }) => {
      if (!current.isEnabled) {
        throw new ScheduleDisabledError(name);
      }
      const requestId = await storage.requests.addManual(executor, {
        scheduleId: current.id,
        nowUnixMs,
        actor,
      });
      return { requestId };
    });
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

  private async change(
    name: string,
    options: MutationOptions,
    define: (current: Schedule) => ScheduleDefinition,
  ): Promise<Schedule> {
    const { storage } = this;
    let missed: NewRun[] = [];
    const changed = await this.mutateExisting(name, options, async (current, { executor }, context) => {
      const definition = define(current);
      const change = changeSchedule(current, definition, context);
      missed = change.missed === undefined ? [] : [missedRun(current, change.missed, context.nowUnixMs)];
      await insertRuns(executor, storage.schema, missed);
      return storage.schedules.replace(executor, current.id, definition, change.position);
    });
    if (options.transaction === undefined) {
      // Inside the caller's transaction nobody can tell whether it commits; the journal will.
      missed.forEach((run) =>
        this.events.publish(RUN_MISSED_EVENT, { ...runFacts(run), missedCount: run.missedCount }),
      );
    }
    return changed;
  }

  /** Finds a schedule, locks it, checks the caller's version, and changes it. */
  private async mutateExisting<Result>(
    name: string,
    options: MutationOptions,
    work: (current: Schedule, transaction: Transaction, context: ChangeContext) => Promise<Result>,
  ): Promise<Result> {
    const { storage } = this;
    const actor = actorOf(options);
    const expectedVersion = expectedVersionOf(options);
    const nameToFind = validNameToFind(name);
    return mutate(storage, options, async (transaction) => {
      const current = await storage.schedules.findForUpdate(transaction.executor, nameToFind);
      if (current === undefined) {
        throw new ScheduleNotFoundError(name);
      }
      if (expectedVersion !== undefined && current.version !== expectedVersion) {
        throw new ScheduleConflictError(name, expectedVersion, current.version);
      }
      return work(current, transaction, { nowUnixMs: transaction.nowUnixMs, actor });
    });
  }
}

/** A name that no schedule can have is not looked up: there is none. */
function validNameToFind(name: unknown): string {
  if (typeof name !== 'string') {
    throw new ScheduleInvalidError('name is required: the name of the schedule, a string.');
  }
  if (name.includes('\0')) {
    throw new ScheduleNotFoundError(name);
  }
  return name;
}
