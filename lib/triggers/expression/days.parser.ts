import type { DayOfMonthRule, DayOfWeekRule } from '../calendar/day-rules.js';
import { DAY_OF_MONTH, DAY_OF_WEEK } from './cron-field.js';
import { fieldError } from './field-error.js';
import { isUnrestricted, parseItem, valueOf } from './values.parser.js';

const MOST_DAYS_BEFORE_LAST = 30;
const WEEKS_OF_MONTH = 5;

/** Reads the day-of-month field: values, `L`, `L-n`, `nW` and `LW`, in any list. */
export function parseDayOfMonth(text: string): DayOfMonthRule {
  if (isUnrestricted(text)) {
    return { restricted: false, days: 0, nearestWeekdays: 0, beforeLast: 0, lastWeekday: false };
  }
  const rule = { restricted: true, days: 0, nearestWeekdays: 0, beforeLast: 0, lastWeekday: false };
  for (const item of text.split(',')) {
    const beforeLast = /^L(?:-(\d+))?$/.exec(item);
    const nearest = /^(\d+)W$/.exec(item);
    if (item === 'LW') rule.lastWeekday = true;
    else if (beforeLast !== null) rule.beforeLast |= 1 << daysBeforeLast(beforeLast[1] ?? '0', item, text);
    else if (nearest !== null) rule.nearestWeekdays |= 1 << (dayOf(nearest[1] ?? '', item, text) - 1);
    else for (const day of parseItem(DAY_OF_MONTH, item, text)) rule.days |= 1 << (day - 1);
  }
  return rule;
}

/** Reads the day-of-week field: values, `nL` and `n#m`, in any list. */
export function parseDayOfWeek(text: string): DayOfWeekRule {
  if (isUnrestricted(text)) return { restricted: false, weekdays: 0, lastOfMonth: 0, nthOfMonth: [] };
  const nthOfMonth = new Uint8Array(WEEKS_OF_MONTH);
  const rule = { restricted: true, weekdays: 0, lastOfMonth: 0, nthOfMonth };
  for (const item of text.split(',')) {
    const last = /^(\d+|[A-Z]{3})L$/.exec(item);
    const nth = /^(\d+|[A-Z]{3})#([1-5])$/.exec(item);
    if (last !== null) rule.lastOfMonth |= weekdayBit(last[1] ?? '', item, text);
    else if (nth !== null) addBits(nthOfMonth, Number(nth[2]) - 1, weekdayBit(nth[1] ?? '', item, text));
    else for (const weekday of parseItem(DAY_OF_WEEK, item, text)) rule.weekdays |= 1 << (weekday % 7);
  }
  return rule;
}

function addBits(words: Uint8Array, index: number, bits: number): void {
  words[index] = (words[index] ?? 0) | bits;
}

function daysBeforeLast(digits: string, item: string, text: string): number {
  const days = Number(digits);
  if (days > MOST_DAYS_BEFORE_LAST) throw fieldError(DAY_OF_MONTH, item, text);
  return days;
}

function dayOf(digits: string, item: string, text: string): number {
  const day = valueOf(DAY_OF_MONTH, digits);
  if (day === undefined) throw fieldError(DAY_OF_MONTH, item, text);
  return day;
}

function weekdayBit(value: string, item: string, text: string): number {
  const weekday = valueOf(DAY_OF_WEEK, value);
  if (weekday === undefined) throw fieldError(DAY_OF_WEEK, item, text);
  return 1 << (weekday % 7);
}
