import { countBits, highestBit, lowBits, lowestBit } from './bits.js';
import {
  civilFromDays,
  DAYS_PER_CYCLE,
  daysFromCivil,
  daysInMonth,
  weekdayOf,
  YEARS_PER_CYCLE,
} from './civil-date.js';
import { type DayOfMonthRule, type DayOfWeekRule, matchingDays } from './day-rules.js';
import { NONE, type ValueSet } from './value-set.js';

const SHORTEST_MONTH = 28;
const MONTH_LENGTHS = [28, 29, 30, 31];
const WEEKDAYS = [0, 1, 2, 3, 4, 5, 6];

/**
 * The matching days of the calendar, in days since 1970-01-01.
 *
 * A month is wholly described by its length and the weekday it begins on, so the day rules are worked out once for
 * the 28 kinds of month there are; after that a search visits months, not days, and at most one cycle of the calendar.
 */
export class DayPattern {
  private readonly daysByKindOfMonth: Int32Array;

  constructor(
    private readonly months: ValueSet,
    dayOfMonth: DayOfMonthRule,
    dayOfWeek: DayOfWeekRule,
  ) {
    this.daysByKindOfMonth = Int32Array.from(
      MONTH_LENGTHS.flatMap((length) =>
        WEEKDAYS.map((firstWeekday) => matchingDays(dayOfMonth, dayOfWeek, length, firstWeekday)),
      ),
    );
  }

  /** Whether no date of the calendar matches, such as 30 February. The other methods rely on it being false. */
  get isEmpty(): boolean {
    return this.next(0) === undefined;
  }

  has(day: number): boolean {
    const date = civilFromDays(day);
    return this.months.has(date.month) && ((this.daysOf(date.year, date.month) >>> (date.day - 1)) & 1) === 1;
  }

  /** First matching day at or after `from`. */
  next(from: number): number | undefined {
    const date = civilFromDays(from);
    let { year } = date;
    let month = this.months.next(date.month);
    let skipped = month === date.month ? date.day - 1 : 0;
    for (; year <= date.year + YEARS_PER_CYCLE; year++) {
      while (month !== NONE) {
        const found = this.daysOf(year, month) & ~lowBits(skipped);
        if (found !== 0) return daysFromCivil(year, month, lowestBit(found) + 1);
        skipped = 0;
        month = this.months.next(month + 1);
      }
      month = this.months.first;
    }
    return undefined;
  }

  /** Last matching day at or before `from`. */
  previous(from: number): number | undefined {
    const date = civilFromDays(from);
    let { year } = date;
    let month = this.months.previous(date.month);
    let kept = month === date.month ? date.day : 31;
    for (; year >= date.year - YEARS_PER_CYCLE; year--) {
      while (month !== NONE) {
        const found = this.daysOf(year, month) & lowBits(kept);
        if (found !== 0) return daysFromCivil(year, month, highestBit(found) + 1);
        kept = 31;
        month = this.months.previous(month - 1);
      }
      month = this.months.last;
    }
    return undefined;
  }

  /** Number of matching days in [from, to). */
  count(from: number, to: number): number {
    const cycles = Math.floor((to - from) / DAYS_PER_CYCLE);
    const rest = this.countBetween(from, to - cycles * DAYS_PER_CYCLE);
    return cycles === 0 ? rest : rest + cycles * this.countBetween(0, DAYS_PER_CYCLE);
  }

  private countBetween(from: number, to: number): number {
    const start = civilFromDays(from);
    const end = civilFromDays(to);
    let count = -this.countBefore(start.year, start.month, start.day);
    let { year, month } = start;
    while (year < end.year || (year === end.year && month < end.month)) {
      if (this.months.has(month)) count += countBits(this.daysOf(year, month));
      month = month === 12 ? 1 : month + 1;
      if (month === 1) year++;
    }
    return count + this.countBefore(end.year, end.month, end.day);
  }

  /** Matching days of a month before its day `day`. */
  private countBefore(year: number, month: number, day: number): number {
    return this.months.has(month) ? countBits(this.daysOf(year, month) & lowBits(day - 1)) : 0;
  }

  /** Days of a month that the day rules match, whether or not the month does. */
  private daysOf(year: number, month: number): number {
    const firstWeekday = weekdayOf(daysFromCivil(year, month, 1));
    return this.daysByKindOfMonth[(daysInMonth(year, month) - SHORTEST_MONTH) * 7 + firstWeekday] ?? 0;
  }
}
