import { Injectable } from '@nestjs/common';
import { occurrencesOfSchedule, type Schedule } from '../../schedules/index.js';
import { StoreReader } from './store-reader.js';

/** How far ahead to look. */
export interface UpcomingRequest {
  readonly untilUnixMs: number;
  /** Most schedules of the answer. */
  readonly limit: number;
}

/** When a schedule fires within a time. */
export interface UpcomingFiresOf {
  readonly scheduleId: string;
  readonly scheduleName: string;
  readonly jobName: string;
  readonly firesUnixMs: readonly number[];
  /** False where it fires more often than is listed. */
  readonly isComplete: boolean;
}

/** What fires next, over all schedules. */
export interface UpcomingFires {
  /** The store's time at which it was looked. */
  readonly nowUnixMs: number;
  /** By their next fire. */
  readonly items: readonly UpcomingFiresOf[];
  /** False where more schedules fire within the time than were asked for. */
  readonly isComplete: boolean;
}

/** Most fires that are listed of one schedule. */
export const MAX_FIRES_PER_SCHEDULE = 100;

/**
 * Looks ahead over all schedules. Those that are due already are no part of it: when they fire depends on nodes and
 * policies, not on their triggers.
 */
@Injectable()
export class UpcomingFiresReader {
  constructor(private readonly reader: StoreReader) {}

  async find({ untilUnixMs, limit }: UpcomingRequest): Promise<UpcomingFires> {
    return this.reader.read(async (storage, { executor, nowUnixMs }) => {
      const range = { afterUnixMs: nowUnixMs, untilUnixMs };
      const schedules = await storage.upcoming.find(executor, range, limit + 1);
      return {
        nowUnixMs,
        items: schedules.slice(0, limit).map((schedule) => firesOf(schedule, untilUnixMs)),
        isComplete: schedules.length <= limit,
      };
    });
  }
}

function firesOf(schedule: Schedule, untilUnixMs: number): UpcomingFiresOf {
  const { id, name, jobName } = schedule;
  const fires = firesUntil(schedule, untilUnixMs);
  return {
    scheduleId: id,
    scheduleName: name,
    jobName,
    firesUnixMs: fires.slice(0, MAX_FIRES_PER_SCHEDULE),
    isComplete: fires.length <= MAX_FIRES_PER_SCHEDULE,
  };
}

/** The fires from the cursor on, one more than are listed at most. */
function firesUntil(schedule: Schedule, untilUnixMs: number): readonly number[] {
  const fires: number[] = [];
  try {
    const occurrences = occurrencesOfSchedule(schedule);
    let next = schedule.nextFireAtUnixMs;
    while (next !== undefined && next <= untilUnixMs && fires.length <= MAX_FIRES_PER_SCHEDULE) {
      fires.push(next);
      next = occurrences.next(next);
    }
  } catch {
    // A row that cannot be evaluated fires nothing more; the engine parks it and says why.
  }
  return fires;
}
