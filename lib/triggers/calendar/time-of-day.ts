import { NONE, type ValueSet } from './value-set.js';

/** The matching seconds of a day, every one of 0–86,399 whose second, minute and hour match. */
export class TimeOfDay {
  /** Matching seconds in a whole day. */
  readonly perDay: number;
  /** First matching second of a day. */
  readonly first: number;
  /** Last matching second of a day. */
  readonly last: number;
  private readonly firstInHour: number;
  private readonly lastInHour: number;

  constructor(
    private readonly seconds: ValueSet,
    private readonly minutes: ValueSet,
    private readonly hours: ValueSet,
  ) {
    this.perDay = hours.size * minutes.size * seconds.size;
    this.firstInHour = minutes.first * 60 + seconds.first;
    this.lastInHour = minutes.last * 60 + seconds.last;
    this.first = hours.first * 3600 + this.firstInHour;
    this.last = hours.last * 3600 + this.lastInHour;
  }

  /** Smallest matching second at or after `from`, or `NONE`. */
  next(from: number): number {
    const hour = (from / 3600) | 0;
    if (this.hours.has(hour)) {
      const minute = ((from / 60) | 0) - hour * 60;
      if (this.minutes.has(minute)) {
        const second = from % 60;
        const found = this.seconds.next(second);
        if (found !== NONE) return from - second + found;
      }
      const found = this.minutes.next(minute + 1);
      if (found !== NONE) return hour * 3600 + found * 60 + this.seconds.first;
    }
    const found = this.hours.next(hour + 1);
    return found === NONE ? NONE : found * 3600 + this.firstInHour;
  }

  /** Largest matching second at or before `from`, or `NONE`. */
  previous(from: number): number {
    const hour = (from / 3600) | 0;
    if (this.hours.has(hour)) {
      const minute = ((from / 60) | 0) - hour * 60;
      if (this.minutes.has(minute)) {
        const second = from % 60;
        const found = this.seconds.previous(second);
        if (found !== NONE) return from - second + found;
      }
      const found = this.minutes.previous(minute - 1);
      if (found !== NONE) return hour * 3600 + found * 60 + this.seconds.last;
    }
    const found = this.hours.previous(hour - 1);
    return found === NONE ? NONE : found * 3600 + this.lastInHour;
  }

  /** How many matching seconds of the day lie before `second`. */
  countBefore(second: number): number {
    const hour = (second / 3600) | 0;
    const minute = ((second / 60) | 0) - hour * 60;
    const perMinute = this.seconds.size;
    let count = this.hours.countBelow(hour) * this.minutes.size * perMinute;
    if (!this.hours.has(hour)) return count;
    count += this.minutes.countBelow(minute) * perMinute;
    return this.minutes.has(minute) ? count + this.seconds.countBelow(second % 60) : count;
  }
}
