import { Inject, Injectable } from '@nestjs/common';
import { CRON_STORE_OPTIONS, type ResolvedOptions } from '../options/index.js';
import { ScheduleNotFoundError, type Run, type Schedule } from '../schedules/index.js';
import { CRON_STORE_STORAGE, type Storage, type Transaction } from '../storage/index.js';
import { enabledStorage } from './enabled-storage.js';
import { nameToFind } from './existing-schedule.js';
import { runSelectionOf, scheduleSelectionOf, type RunFilter, type ScheduleFilter } from './filters.js';
import { nextFiresIfResumed, nextFiresOf } from './next-fires.js';

/** A schedule and what it is about to do. */
export interface ScheduleDetail {
  readonly schedule: Schedule;
  /**
   * Logical times of the next fires, up to five. An overdue one is projected through the misfire policy, so that it may
   * lie in the past; empty when the schedule is paused, spent or parked.
   */
  readonly nextFiresUnixMs: readonly number[];
  /** Of a paused schedule: what it would do if it were resumed now. Empty otherwise. */
  readonly nextFiresIfResumedUnixMs: readonly number[];
}

/** Reads schedules and their journal. */
@Injectable()
export class ScheduleReader {
  constructor(
    @Inject(CRON_STORE_STORAGE) private readonly storage: Storage | undefined,
    @Inject(CRON_STORE_OPTIONS) private readonly options: ResolvedOptions,
  ) {}

  async get(name: string): Promise<ScheduleDetail> {
    return this.read(async (storage, { executor, nowUnixMs }) => {
      const schedule = await storage.schedules.find(executor, nameToFind(name));
      if (schedule === undefined) {
        throw new ScheduleNotFoundError(name);
      }
      const moment = { nowUnixMs, misfireThresholdMs: this.options.misfireThreshold };
      return {
        schedule,
        nextFiresUnixMs: nextFiresOf(schedule, moment),
        nextFiresIfResumedUnixMs: nextFiresIfResumed(schedule, moment),
      };
    });
  }

  async list(filter: ScheduleFilter): Promise<Schedule[]> {
    const selection = scheduleSelectionOf(filter);
    return this.read((storage, { executor }) => storage.schedules.list(executor, selection));
  }

  async listRuns(filter: RunFilter): Promise<Run[]> {
    const selection = runSelectionOf(filter);
    return this.read((storage, { executor }) => storage.journal.list(executor, selection));
  }

  private async read<Result>(
    work: (storage: Storage, transaction: Transaction) => Promise<Result>,
  ): Promise<Result> {
    const storage = enabledStorage(this.storage);
    return storage.connections.transaction('manager', (transaction) => work(storage, transaction));
  }
}
