import type { ScheduleState } from './schedule.js';

/** What of a schedule decides its visible state. */
export interface ScheduleCondition {
  readonly isEnabled: boolean;
  readonly parkedReason?: string;
  readonly nextFireAtUnixMs?: number;
}

/** Derives the visible state; an unreadable schedule is `parked` whatever else it is, a paused one never `spent`. */
export function scheduleState(condition: ScheduleCondition): ScheduleState {
  if (condition.parkedReason !== undefined) {
    return 'parked';
  }
  if (!condition.isEnabled) {
    return 'paused';
  }
  return condition.nextFireAtUnixMs === undefined ? 'spent' : 'armed';
}
