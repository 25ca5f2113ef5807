import { Inject, Injectable } from '@nestjs/common';
import { CRON_STORE_OPTIONS, type ResolvedOptions } from '../../options/index.js';
import { definedFields, type JsonValue, type ListedSchedule, type Run } from '../../schedules/index.js';
import type {
  Page,
  PageSlice,
  ScheduleSearch,
  ScheduleSortField,
  Storage,
  Transaction,
} from '../../storage/index.js';
import { findExistingRun } from '../changing/existing-run.js';
import { findExisting } from '../changing/existing-schedule.js';
import { runSelectionOf, scheduleSelectionOf, type RunFilter, type ScheduleFilter } from './filters.js';
import { LiveJobs } from '../upkeep/live-jobs.js';
import { nextFiresIfResumed, nextFiresOf } from './next-fires.js';
import { StoreReader } from './store-reader.js';
import { listed, orphanSelection, type OrphanFilter, type Surroundings } from './listed-schedule.js';

/** A run and what it was given. */
export interface RunDetail extends Run {
  /**
   * The params that a manual fire was given, also in its recoveries and retries. Absent where it had those of its schedule,
   * which the journal does not keep.
   */
  readonly params?: JsonValue;
}

/** A schedule and what it is about to do. */
export interface ScheduleDetail {
  /** The schedule as it is stored, with what its nodes make of it. */
  readonly schedule: ListedSchedule;
  /**
   * Logical times of the next fires, up to five. An overdue one is projected through the misfire policy, so that it may
   * lie in the past; empty when the schedule is paused, spent or parked.
   */
  readonly nextFiresUnixMs: readonly number[];
  /** Of a paused schedule: what it would do if it were resumed now. Empty otherwise. */
  readonly nextFiresIfResumedUnixMs: readonly number[];
}

/** Which schedules to find. */
export interface PageFilter extends Omit<ScheduleSearch, 'jobs' | 'dueBeforeUnixMs'>, OrphanFilter {
  /** Only those that are overdue by more than `misfireThreshold`, and neither paused nor parked. Held ones are among them. */
  readonly isLate?: boolean;
}

/** Reads schedules and their journal. */
@Injectable()
export class ScheduleReader {
  constructor(
    private readonly reader: StoreReader,
    @Inject(CRON_STORE_OPTIONS) private readonly options: ResolvedOptions,
    private readonly liveJobs: LiveJobs,
  ) {}

  async get(name: string): Promise<ScheduleDetail> {
    return this.reader.read(async (storage, transaction) => {
      const { executor, nowUnixMs } = transaction;
      const schedule = await findExisting(storage, executor, name);
      const around = await this.surroundings(storage, transaction);
      const moment = { nowUnixMs, misfireThresholdMs: this.options.misfireThreshold };
      return {
        schedule: listed(schedule, around),
        nextFiresUnixMs: nextFiresOf(schedule, moment),
        nextFiresIfResumedUnixMs: nextFiresIfResumed(schedule, moment),
      };
    });
  }

  async list(filter: ScheduleFilter): Promise<ListedSchedule[]> {
    this.reader.refuseDisabled();
    const { isOrphaned, ...selection } = scheduleSelectionOf(filter);
    return this.reader.read(async (storage, transaction) => {
      const around = await this.surroundings(storage, transaction);
      const schedules = await storage.schedules.list(transaction.executor, {
        ...selection,
        ...orphanSelection(isOrphaned, around.liveJobNames),
      });
      return schedules.map((schedule) => listed(schedule, around));
    });
  }

  /** Finds a page of schedules, by name unless sorted otherwise. */
  async findPage(
    { isOrphaned, isLate = false, ...search }: PageFilter,
    slice: PageSlice<ScheduleSortField>,
  ): Promise<Page<ListedSchedule>> {
    return this.reader.read(async (storage, transaction) => {
      const around = await this.surroundings(storage, transaction);
      const page = await storage.schedulePages.find(
        transaction.executor,
        {
          ...search,
          ...orphanSelection(isOrphaned, around.liveJobNames),
          ...(isLate ? { dueBeforeUnixMs: transaction.nowUnixMs - this.options.misfireThreshold } : {}),
        },
        slice,
      );
      return { ...page, items: page.items.map((schedule) => listed(schedule, around)) };
    });
  }

  async listRuns(filter: RunFilter): Promise<Run[]> {
    this.reader.refuseDisabled();
    const selection = runSelectionOf(filter);
    return this.reader.read((storage, { executor }) => storage.journal.list(executor, selection));
  }

  async getRun(runId: string): Promise<RunDetail> {
    return this.reader.read(async (storage, { executor }) => {
      const { run, params } = await findExistingRun(storage, executor, runId);
      return { ...run, ...definedFields({ params }) };
    });
  }

  private async surroundings(storage: Storage, transaction: Transaction): Promise<Surroundings> {
    return {
      liveJobNames: await this.liveJobs.namesOfNodes(storage, transaction),
      holds: await storage.holds.list(transaction),
    };
  }
}
