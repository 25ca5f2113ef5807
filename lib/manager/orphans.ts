import type { ListedSchedule, Schedule } from '../schedules/index.js';
import type { ScheduleSelection } from '../storage/index.js';

/** Whether to find only schedules whose job no live node registers, or only the others. Absent: both. */
export interface OrphanFilter {
  readonly isOrphaned?: boolean;
}

/** Says of a schedule whether it is an orphan: derived whenever it is read, because nodes come and go. */
export function withOrphan(schedule: Schedule, liveJobNames: ReadonlySet<string>): ListedSchedule {
  return { ...schedule, isOrphaned: !liveJobNames.has(schedule.jobName) };
}

/** The filter as the store understands it: orphans are the schedules of all but the live jobs. */
export function orphanSelection(
  isOrphaned: boolean | undefined,
  liveJobNames: ReadonlySet<string>,
): Pick<ScheduleSelection, 'jobs'> {
  return isOrphaned === undefined ? {} : { jobs: { names: [...liveJobNames], isAmong: !isOrphaned } };
}
