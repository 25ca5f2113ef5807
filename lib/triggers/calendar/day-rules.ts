/**
 * The day-of-month field. Sets are bit masks: bit n − 1 of `days` and `nearestWeekdays` stands for day n, bit n of
 * `beforeLast` for the day n before the last.
 */
export interface DayOfMonthRule {
  /** Whether the field says anything: `*`, `?` and a star with step 1 do not. */
  readonly restricted: boolean;
  readonly days: number;
  /** `15W`: the weekday (Monday–Friday) nearest to the day, in the same month; nothing where the day does not exist. */
  readonly nearestWeekdays: number;
  /** `L` is bit 0, `L-3` bit 3. */
  readonly beforeLast: number;
  /** `LW`: the last weekday (Monday–Friday) of the month. */
  readonly lastWeekday: boolean;
}

/** The day-of-week field. Sets are bit masks, bit 0 for Sunday. */
export interface DayOfWeekRule {
  /** Whether the field says anything: `*`, `?` and a star with step 1 do not. */
  readonly restricted: boolean;
  readonly weekdays: number;
  /** `5L`: the last Friday of the month. */
  readonly lastOfMonth: number;
  /** `5#2`: index n − 1 holds the weekdays asked for as the n-th of the month. */
  readonly nthOfMonth: ArrayLike<number>;
}

const SUNDAY = 0;
const SATURDAY = 6;

/**
 * The matching days of a month with `length` days that begins on `firstWeekday`; bit n − 1 is day n. Where both
 * fields are restricted a day matches if either does.
 */
export function matchingDays(
  dayOfMonth: DayOfMonthRule,
  dayOfWeek: DayOfWeekRule,
  length: number,
  firstWeekday: number,
): number {
  const whole = length === 31 ? 0x7fff_ffff : (1 << length) - 1;
  if (!dayOfMonth.restricted && !dayOfWeek.restricted) return whole;
  const byMonth = dayOfMonth.restricted ? daysByNumber(dayOfMonth, length, firstWeekday) : 0;
  const byWeek = dayOfWeek.restricted ? daysByWeekday(dayOfWeek, length, firstWeekday) : 0;
  return (byMonth | byWeek) & whole;
}

function daysByNumber(rule: DayOfMonthRule, length: number, firstWeekday: number): number {
  let mask = rule.days;
  for (let day = 1; day <= length; day++) {
    if ((rule.nearestWeekdays >>> (day - 1)) & 1) mask |= bit(nearestWeekday(day, length, firstWeekday));
    if ((rule.beforeLast >>> (length - day)) & 1) mask |= bit(day);
  }
  return rule.lastWeekday ? mask | bit(nearestWeekday(length, length, firstWeekday)) : mask;
}

function daysByWeekday(rule: DayOfWeekRule, length: number, firstWeekday: number): number {
  let mask = 0;
  for (let day = 1; day <= length; day++) {
    const weekday = (firstWeekday + day - 1) % 7;
    const nth = rule.nthOfMonth[((day - 1) / 7) | 0] ?? 0;
    const asked = rule.weekdays | nth | (day + 7 > length ? rule.lastOfMonth : 0);
    if ((asked >>> weekday) & 1) mask |= bit(day);
  }
  return mask;
}

/** Saturday moves back to Friday and Sunday on to Monday, unless that would leave the month. */
function nearestWeekday(day: number, length: number, firstWeekday: number): number {
  const weekday = (firstWeekday + day - 1) % 7;
  if (weekday === SATURDAY) return day > 1 ? day - 1 : day + 2;
  if (weekday === SUNDAY) return day < length ? day + 1 : day - 2;
  return day;
}

function bit(day: number): number {
  return 1 << (day - 1);
}
