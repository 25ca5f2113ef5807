/**
 * Integer arithmetic on the proleptic Gregorian calendar, in days since 1970-01-01. The conversions are Howard
 * Hinnant's (chrono-compatible low-level date algorithms): the year is taken to begin in March, so that the leap day
 * is the last day of its year and every month starts at a linear function of its number.
 */
export interface CivilDate {
  readonly year: number;
  /** 1–12. */
  readonly month: number;
  /** 1–31. */
  readonly day: number;
}

/** The calendar repeats, weekdays included, after 400 years: 146,097 days are 20,871 weeks. */
export const DAYS_PER_CYCLE = 146_097;
export const YEARS_PER_CYCLE = 400;

const DAYS_FROM_0000_03_01_TO_EPOCH = 719_468;

/** Days since 1970-01-01 of a date. */
export function daysFromCivil(year: number, month: number, day: number): number {
  const marchYear = month > 2 ? year : year - 1;
  const cycle = Math.floor(marchYear / YEARS_PER_CYCLE);
  const yearOfCycle = marchYear - cycle * YEARS_PER_CYCLE;
  const monthFromMarch = month > 2 ? month - 3 : month + 9;
  const dayOfYear = (((153 * monthFromMarch + 2) / 5) | 0) + day - 1;
  const dayOfCycle = yearOfCycle * 365 + (yearOfCycle >> 2) - ((yearOfCycle / 100) | 0) + dayOfYear;
  return cycle * DAYS_PER_CYCLE + dayOfCycle - DAYS_FROM_0000_03_01_TO_EPOCH;
}

/** The date that lies `days` after 1970-01-01. */
export function civilFromDays(days: number): CivilDate {
  const shifted = days + DAYS_FROM_0000_03_01_TO_EPOCH;
  const cycle = Math.floor(shifted / DAYS_PER_CYCLE);
  const dayOfCycle = shifted - cycle * DAYS_PER_CYCLE;
  const leapDays = ((dayOfCycle / 1460) | 0) - ((dayOfCycle / 36_524) | 0) + ((dayOfCycle / 146_096) | 0);
  const yearOfCycle = ((dayOfCycle - leapDays) / 365) | 0;
  const dayOfYear = dayOfCycle - (365 * yearOfCycle + (yearOfCycle >> 2) - ((yearOfCycle / 100) | 0));
  const monthFromMarch = ((5 * dayOfYear + 2) / 153) | 0;
  const day = dayOfYear - (((153 * monthFromMarch + 2) / 5) | 0) + 1;
  const month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9;
  const year = yearOfCycle + cycle * YEARS_PER_CYCLE + (month <= 2 ? 1 : 0);
  return { year, month, day };
}

/** Number of days in a month, 28–31. */
export function daysInMonth(year: number, month: number): number {
  if (month === 2) return isLeapYear(year) ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}

/** Weekday of a day since 1970-01-01 (a Thursday): 0 is Sunday. */
export function weekdayOf(days: number): number {
  return ((days % 7) + 11) % 7;
}

function isLeapYear(year: number): boolean {
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
}
