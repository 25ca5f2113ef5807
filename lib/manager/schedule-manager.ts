import { Injectable } from '@nestjs/common';
import type {
  Backfill,
  BackfillRequest,
  Hold,
  ListedSchedule,
  Node,
  Run,
  Schedule,
  SchedulePatch,
  ScheduleSpec,
} from '../schedules/index.js';
import type { HoldTarget } from '../storage/index.js';
import { Backfills, type BackfillPreview } from './changing/backfills.js';
import { Environments, type TakeOver, type TakeOverOptions } from './environments.js';
import type { RunFilter, ScheduleFilter } from './reading/filters.js';
import { Holds, type HoldOptions } from './changing/holds.js';
import { LiveJobs } from './upkeep/live-jobs.js';
import {
  ManualFires,
  type ManualFireReceipt,
  type RerunOptions,
  type TriggerOptions,
} from './changing/manual-fires.js';
import type { MutationOptions, UnversionedOptions } from './changing/mutation-options.js';
import { RunCancellation, type CancelReceipt } from './changing/run-cancellation.js';
import { ScheduleEditor } from './changing/schedule-editor.js';
import type { SuspensionOptions } from './changing/suspension-terms.js';
import { ScheduleReader, type RunDetail, type ScheduleDetail } from './reading/schedule-reader.js';

/** Options of a pause. */
export interface PauseOptions extends MutationOptions, SuspensionOptions {}

/**
 * Manages schedules in code. Every change is one transaction: it happens as a whole with its audit record, wakes the
 * nodes when it commits, and nothing of it happens when an error is thrown. A change holds the lock of the schedule's
 * row, so that it is ordered with every claim and every other change of that schedule.
 *
 * Every method throws StoreDisabledError (2705) where the module is imported with `enabled: false`, and
 * ScheduleInvalidError (2706) for arguments it cannot understand. Every change but `takeOver` throws
 * StoreEnvironmentError (2708) where the store belongs to another environment than this application. Every method that names a schedule throws
 * ScheduleNotFoundError (2700) when there is none, and every change of one ScheduleConflictError (2707) when it has not
 * the `expectedVersion`. A change that is not of one schedule which exists refuses an `expectedVersion` (2706).
 */
@Injectable()
export class ScheduleManager {
  /** @internal The module makes it. */
  constructor(
    private readonly editor: ScheduleEditor,
    private readonly manualFires: ManualFires,
    private readonly runCancellation: RunCancellation,
    private readonly backfills: Backfills,
    private readonly holds: Holds,
    private readonly environments: Environments,
    private readonly reader: ScheduleReader,
    private readonly liveJobs: LiveJobs,
  ) {}

  /**
   * Creates a schedule. Its first fire is its first occurrence after now.
   *
   * @throws TriggerInvalidError (2703) for its trigger; ScheduleInvalidError (2706) for anything else that is wrong
   *   with it, and when it is enabled and would never fire; JobNotRegisteredError (2704); ScheduleExistsError (2701).
   */
  async create(spec: ScheduleSpec, options: UnversionedOptions = {}): Promise<Schedule> {
    return this.editor.create(spec, options);
  }

  /**
   * Replaces a schedule's whole definition: what the specification omits takes its default, so that omitting `enabled`
   * enables. Another `name` in it renames. The cursor moves only when the timing changes (occurrences already due are
   * then journaled as missed) or when the schedule becomes enabled without one; its history stays.
   *
   * @throws what `create` throws.
   */
  async update(name: string, spec: ScheduleSpec, options: MutationOptions = {}): Promise<Schedule> {
    return this.editor.update(name, spec, options);
  }

  /**
   * Changes some of a schedule: what is not given stays as it is, the pause included. Another misfire policy takes the
   * backfill limit with it. Timing as in `update`.
   *
   * @throws what `create` throws; JobNotRegisteredError only when the job name changes.
   */
  async patch(name: string, changes: SchedulePatch, options: MutationOptions = {}): Promise<Schedule> {
    return this.editor.patch(name, changes, options);
  }

  /** Deletes a schedule and its pending fires. Its runs stay in the journal; one that is running goes on. */
  async delete(name: string, options: MutationOptions = {}): Promise<void> {
    return this.editor.delete(name, options);
  }

  /**
   * Stops a schedule from firing; running runs are unaffected, and retries of those that fail go on. Its cursor is kept,
   * so that `resume` hands the gap to the misfire policy. Pausing a paused schedule refreshes who paused it, when, why
   * and until when.
   */
  async pause(name: string, options: PauseOptions = {}): Promise<Schedule> {
    return this.editor.pause(name, options);
  }

  /**
   * Lets a schedule fire again: what became due meanwhile is the misfire policy's. A parked schedule is evaluated
   * anew. Resuming one that is neither paused nor parked changes nothing; one that has nothing left to fire is `spent`
   * then, as its `state` says.
   *
   * @throws TriggerInvalidError (2703) when a parked schedule still cannot be evaluated.
   */
  async resume(name: string, options: MutationOptions = {}): Promise<Schedule> {
    return this.editor.resume(name, options);
  }

  /**
   * Fires a schedule once more, now, on one node that has its job. The cursor does not move. With a run active the
   * concurrency policy decides: under `forbid` it is journaled `skipped`. When the schedule is paused before the fire is
   * claimed, it waits for the resume, unless it was asked for `evenIfPaused`.
   *
   * @throws ScheduleDisabledError (2702) when the schedule is paused and the fire is not `evenIfPaused`.
   */
  async triggerNow(name: string, options: TriggerOptions = {}): Promise<ManualFireReceipt> {
    return this.manualFires.triggerNow(name, options);
  }

  /**
   * Repeats a run that was executed and is over, with its logical time and its params, under a new idempotency key.
   *
   * @throws RunNotFoundError (2001); ScheduleInvalidError (2706) when the run is not over or never executed;
   *   ScheduleNotFoundError (2700) when its schedule was deleted; ScheduleDisabledError (2702) when that is paused;
   *   ScheduleConflictError (2707) when that has not the `expectedVersion`.
   */
  async rerun(runId: string, options: RerunOptions = {}): Promise<ManualFireReceipt> {
    return this.manualFires.rerun(runId, options);
  }

  /**
   * Asks a running run to end: the signal of its handler is aborted on whichever node executes it, and the run is
   * journaled `canceled` when the handler settles, or after `abortGrace`. It is not recovered.
   *
   * @throws RunNotFoundError (2001).
   */
  async cancelRun(runId: string, options: UnversionedOptions = {}): Promise<CancelReceipt> {
    return this.runCancellation.cancelRun(runId, options);
  }

  /** Asks every running run of a schedule to end, as `cancelRun` does. */
  async cancelRunsOf(name: string, options: MutationOptions = {}): Promise<CancelReceipt> {
    return this.runCancellation.cancelRunsOf(name, options);
  }

  /**
   * Counts what `backfill` would fire.
   *
   * @throws what `backfill` throws.
   */
  async previewBackfill(name: string, range: BackfillRequest): Promise<BackfillPreview> {
    return this.backfills.preview(name, range);
  }

  /**
   * Fires the occurrences of a past range again, both ends inclusive, at most 10,000: oldest first, one at a time unless
   * the schedule allows overlaps, behind everything that is on time. Whether an occurrence ran before does not matter;
   * its `idempotencyKey` is the same.
   *
   * @throws ScheduleInvalidError (2706) when the range is empty, too long, or not past; ScheduleDisabledError (2702)
   *   when the schedule is paused; TriggerInvalidError (2703) when it is parked and still cannot be evaluated.
   */
  async backfill(name: string, range: BackfillRequest, options: MutationOptions = {}): Promise<Backfill> {
    return this.backfills.start(name, range, options);
  }

  /**
   * Ends a running backfill; what it has fired stays fired.
   *
   * @throws ScheduleInvalidError (2706) when the schedule has no such backfill running.
   */
  async cancelBackfill(name: string, backfillId: string, options: MutationOptions = {}): Promise<Backfill> {
    return this.backfills.cancel(name, backfillId, options);
  }

  /** Lists the backfills of a schedule and how far they have come, the newest first, up to 100. */
  async listBackfills(name: string): Promise<Backfill[]> {
    return this.backfills.list(name);
  }

  /**
   * Holds back every fire of a job, or without one of the whole store, recoveries and retries included: a maintenance
   * window. A switch of its own, which no pause touches; what becomes due meanwhile is the misfire policy's when it is
   * released. Holding again replaces note and end.
   *
   * @throws JobNotRegisteredError (2704) for a job that no schedule, no live node and not this process knows.
   */
  async hold(target: HoldTarget, options: HoldOptions = {}): Promise<Hold> {
    return this.holds.hold(target, options);
  }

  /** Ends a hold. @returns whether there was one. */
  async release(target: HoldTarget, options: UnversionedOptions = {}): Promise<boolean> {
    return this.holds.release(target, options);
  }

  /**
   * Gives the store to this application's `environment`, whosever it was; without that option, to nobody. For a database
   * that was restored or copied from another environment. Everything is held back afterwards until `release({})`, unless
   * `hold: false`. Nodes of the former environment claim nothing from the moment at which this returns, and what they
   * still execute they finish. An application that the store refuses can call it before it starts, between
   * `NestFactory.create` and `listen`.
   *
   * @throws StoreSchemaError when the tables are not what this version needs.
   */
  async takeOver(options: TakeOverOptions = {}): Promise<TakeOver> {
    return this.environments.takeOver(options);
  }

  /** Lists what is held. */
  async listHolds(): Promise<Hold[]> {
    return this.holds.list();
  }

  /** Reads a schedule and its next fires. */
  async get(name: string): Promise<ScheduleDetail> {
    return this.reader.get(name);
  }

  /** Lists schedules by name. */
  async list(filter: ScheduleFilter = {}): Promise<ListedSchedule[]> {
    return this.reader.list(filter);
  }

  /**
   * Reads one run, with the params that a manual fire was given.
   *
   * @throws RunNotFoundError (2001).
   */
  async getRun(runId: string): Promise<RunDetail> {
    return this.reader.getRun(runId);
  }

  /** Lists runs, the newest claim first. */
  async listRuns(filter: RunFilter = {}): Promise<Run[]> {
    return this.reader.listRuns(filter);
  }

  /**
   * Lists the nodes, the newest start first: those that run the engine, and those that died without saying good-bye,
   * for a day. A node that shuts down leaves at once.
   */
  async listNodes(): Promise<Node[]> {
    return this.liveJobs.listNodes();
  }

  /** Lists the names of the jobs that this process or a live node registers: those a schedule can have. */
  async listJobs(): Promise<string[]> {
    return this.liveJobs.listNames();
  }
}
