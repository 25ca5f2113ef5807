import type { Hold, ListedSchedule, Schedule } from '../../schedules/index.js';
import type { ScheduleSelection } from '../../storage/index.js';

/** Whether to find only schedules whose job no live node registers, or only the others. Absent: both. */
export interface OrphanFilter {
  readonly isOrphaned?: boolean;
}

/** What is around a schedule, and no part of it: nodes come and go, and holds are a switch of their own. */
export interface Surroundings {
  readonly liveJobNames: ReadonlySet<string>;
  readonly holds: readonly Hold[];
}

/** Says of a schedule what its surroundings mean for it: derived whenever it is read. */
export function listed(schedule: Schedule, { liveJobNames, holds }: Surroundings): ListedSchedule {
  return {
    ...schedule,
    isOrphaned: !liveJobNames.has(schedule.jobName),
    isHeld: holds.some((hold) => covers(hold, schedule)),
  };
}

/** Whether a hold is one of the schedule's job, or of the whole store. */
export function covers({ jobName }: Hold, schedule: Schedule): boolean {
  return jobName === undefined || jobName === schedule.jobName;
}

/** The filter as the store understands it: orphans are the schedules of all but the live jobs. */
export function orphanSelection(
  isOrphaned: boolean | undefined,
  liveJobNames: ReadonlySet<string>,
): Pick<ScheduleSelection, 'jobs'> {
  return isOrphaned === undefined ? {} : { jobs: { names: [...liveJobNames], isAmong: !isOrphaned } };
}
