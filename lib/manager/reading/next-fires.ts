import { decideDue, occurrencesOfSchedule, type Schedule } from '../../schedules/index.js';

/** How many upcoming fires are shown with a schedule. */
const PREVIEW_COUNT = 5;

/** When the fires of a schedule are looked at. */
export interface PreviewMoment {
  readonly nowUnixMs: number;
  readonly misfireThresholdMs: number;
}

/**
 * The logical times of a stored schedule's next fires. An overdue cursor is projected through the misfire policy; a
 * schedule that is not armed has none.
 */
export function nextFiresOf(schedule: Schedule, moment: PreviewMoment): number[] {
  return schedule.state === 'armed' ? firesFrom(schedule, schedule.nextFireAtUnixMs, moment) : [];
}

/** The same for a paused schedule, as if it were resumed now: one without a cursor starts fresh. */
export function nextFiresIfResumed(schedule: Schedule, moment: PreviewMoment): number[] {
  return schedule.state === 'paused' ? firesFrom(schedule, schedule.nextFireAtUnixMs, moment) : [];
}

function firesFrom(schedule: Schedule, cursorUnixMs: number | undefined, moment: PreviewMoment): number[] {
  try {
    const occurrences = occurrencesOfSchedule(schedule);
    const { nowUnixMs } = moment;
    const fires: number[] = [];
    let next = cursorUnixMs ?? occurrences.next(nowUnixMs);
    while (next !== undefined && fires.length < PREVIEW_COUNT) {
      if (next > nowUnixMs) {
        fires.push(next);
        next = occurrences.next(next);
        continue;
      }
      const decision = decideDue({
        ...moment,
        occurrences,
        cursorUnixMs: next,
        misfirePolicy: schedule.misfirePolicy,
        backfillLimit: schedule.backfillLimit,
      });
      fires.push(...(decision.fireAtUnixMs === undefined ? [] : [decision.fireAtUnixMs]));
      next = decision.nextFireAtUnixMs;
    }
    return fires;
  } catch {
    // A row that cannot be evaluated fires nothing; the engine parks it and says why.
    return [];
  }
}
