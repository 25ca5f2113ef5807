import { decideDue, occurrencesOfSchedule, type Schedule } from '../schedules/index.js';

/** How many upcoming fires are shown with a schedule. */
const PREVIEW_COUNT = 5;

/**
 * The logical times of a stored schedule's next fires. An overdue cursor is projected through the misfire policy; a
 * schedule that is not armed has none.
 */
export function nextFiresOf(schedule: Schedule, nowUnixMs: number, misfireThresholdMs: number): number[] {
  if (schedule.state !== 'armed') {
    return [];
  }
  try {
    return projectFires(schedule, nowUnixMs, misfireThresholdMs);
  } catch {
    // A row that cannot be evaluated fires nothing; the engine parks it and says why.
    return [];
  }
}

function projectFires(schedule: Schedule, nowUnixMs: number, misfireThresholdMs: number): number[] {
  const occurrences = occurrencesOfSchedule(schedule);
  const fires: number[] = [];
  let cursorUnixMs = schedule.nextFireAtUnixMs;
  while (cursorUnixMs !== undefined && fires.length < PREVIEW_COUNT) {
    if (cursorUnixMs > nowUnixMs) {
      fires.push(cursorUnixMs);
      cursorUnixMs = occurrences.next(cursorUnixMs);
      continue;
    }
    const decision = decideDue({
      occurrences,
      cursorUnixMs,
      nowUnixMs,
      misfireThresholdMs,
      misfirePolicy: schedule.misfirePolicy,
    });
    fires.push(...(decision.fireAtUnixMs === undefined ? [] : [decision.fireAtUnixMs]));
    cursorUnixMs = decision.nextFireAtUnixMs;
  }
  return fires;
}
