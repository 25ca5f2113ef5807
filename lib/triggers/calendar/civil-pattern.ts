import type { DayPattern } from './day-pattern.js';
import type { TimeOfDay } from './time-of-day.js';
import { NONE } from './value-set.js';

const MS_PER_SECOND = 1000;
const SECONDS_PER_DAY = 86_400;

/**
 * The local times an expression matches, without any zone: whole seconds, told in milliseconds of local time since
 * 1970-01-01T00:00. Every method works in time independent of the distance it covers, up to one cycle of the calendar.
 */
export class CivilPattern {
  constructor(
    private readonly days: DayPattern,
    private readonly times: TimeOfDay,
  ) {}

  /** First matching local time at or after `local`. */
  next(local: number): number {
    const second = Math.ceil(local / MS_PER_SECOND);
    const day = Math.floor(second / SECONDS_PER_DAY);
    if (this.days.has(day)) {
      const found = this.times.next(second - day * SECONDS_PER_DAY);
      if (found !== NONE) return at(day, found);
    }
    const next = this.days.next(day + 1);
    return next === undefined ? Infinity : at(next, this.times.first);
  }

  /** Last matching local time at or before `local`. */
  previous(local: number): number {
    const second = Math.floor(local / MS_PER_SECOND);
    const day = Math.floor(second / SECONDS_PER_DAY);
    if (this.days.has(day)) {
      const found = this.times.previous(second - day * SECONDS_PER_DAY);
      if (found !== NONE) return at(day, found);
    }
    const previous = this.days.previous(day - 1);
    return previous === undefined ? -Infinity : at(previous, this.times.last);
  }

  /** Number of matching local times in [from, to). */
  count(from: number, to: number): number {
    const start = Math.ceil(from / MS_PER_SECOND);
    const end = Math.ceil(to / MS_PER_SECOND);
    const firstDay = Math.floor(start / SECONDS_PER_DAY);
    const lastDay = Math.floor(end / SECONDS_PER_DAY);
    const wholeDays = firstDay === lastDay ? 0 : this.days.count(firstDay, lastDay) * this.times.perDay;
    return (
      wholeDays +
      this.countBefore(lastDay, end - lastDay * SECONDS_PER_DAY) -
      this.countBefore(firstDay, start - firstDay * SECONDS_PER_DAY)
    );
  }

  private countBefore(day: number, second: number): number {
    return this.days.has(day) ? this.times.countBefore(second) : 0;
  }
}

function at(day: number, second: number): number {
  return (day * SECONDS_PER_DAY + second) * MS_PER_SECOND;
}
