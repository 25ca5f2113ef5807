import { Injectable } from '@nestjs/common';
import { occurrencesOfSchedule, type Hold, type Schedule } from '../../schedules/index.js';
import { covers } from './listed-schedule.js';
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
  /**
   * Until when its job, or the whole store, is held, in Unix ms: fires before then are held back, and the misfire policy's
   * when the hold ends. Absent where nothing is held.
   */
  readonly heldUntilUnixMs?: number;
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
 * policies, not on their triggers. Nor are those that are held throughout: they do not fire within the time.
 */
@Injectable()
export class UpcomingFiresReader {
  constructor(private readonly reader: StoreReader) {}

  async find({ untilUnixMs, limit }: UpcomingRequest): Promise<UpcomingFires> {
    return this.reader.read(async (storage, transaction) => {
      const { nowUnixMs } = transaction;
      const holds = await storage.holds.list(transaction);
      const throughout = holds.filter((hold) => endOf(hold) > untilUnixMs);
      const isEverythingHeld = throughout.some(({ jobName }) => jobName === undefined);
      const exceptJobNames = throughout.flatMap(({ jobName }) => jobName ?? []);
      const search = { afterUnixMs: nowUnixMs, untilUnixMs, exceptJobNames };
      const schedules = isEverythingHeld
        ? []
        : await storage.upcoming.find(transaction.executor, search, limit + 1);
      return {
        nowUnixMs,
        items: schedules.slice(0, limit).map((schedule) => firesOf(schedule, untilUnixMs, holds)),
        isComplete: schedules.length <= limit,
      };
    });
  }
}

function firesOf(schedule: Schedule, untilUnixMs: number, holds: readonly Hold[]): UpcomingFiresOf {
  const { id, name, jobName } = schedule;
  const fires = firesUntil(schedule, untilUnixMs);
  const holdEnds = holds.filter((hold) => covers(hold, schedule)).map(endOf);
  return {
    scheduleId: id,
    scheduleName: name,
    jobName,
    firesUnixMs: fires.slice(0, MAX_FIRES_PER_SCHEDULE),
    isComplete: fires.length <= MAX_FIRES_PER_SCHEDULE,
    ...(holdEnds.length === 0 ? {} : { heldUntilUnixMs: Math.max(...holdEnds) }),
  };
}

function endOf({ untilUnixMs = Infinity }: Hold): number {
  return untilUnixMs;
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
