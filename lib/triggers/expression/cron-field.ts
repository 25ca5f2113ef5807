/** One field of a cron expression: what it is called and which values it takes. */
export interface CronField {
  readonly name: 'second' | 'minute' | 'hour' | 'day of month' | 'month' | 'day of week';
  readonly min: number;
  readonly max: number;
  /** Number of different values, the largest step that makes sense. */
  readonly size: number;
  /** Names of the values, from `min` on. */
  readonly names: readonly string[];
  /** What may stand in the field, besides lists, ranges and steps. */
  readonly allowed: string;
}

export const SECOND: CronField = { name: 'second', min: 0, max: 59, size: 60, names: [], allowed: '0-59' };
export const MINUTE: CronField = { name: 'minute', min: 0, max: 59, size: 60, names: [], allowed: '0-59' };
export const HOUR: CronField = { name: 'hour', min: 0, max: 23, size: 24, names: [], allowed: '0-23' };

export const DAY_OF_MONTH: CronField = {
  name: 'day of month',
  min: 1,
  max: 31,
  size: 31,
  names: [],
  allowed: '1-31, L (the last day), L-1 to L-30 (days before it), 1W to 31W (the nearest weekday) and LW',
};

export const MONTH: CronField = {
  name: 'month',
  min: 1,
  max: 12,
  size: 12,
  names: ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC'],
  allowed: '1-12 and JAN-DEC',
};

/** Sunday is 0 and also 7, so that ranges may end with it; 5/2 therefore is Friday and Sunday. */
export const DAY_OF_WEEK: CronField = {
  name: 'day of week',
  min: 0,
  max: 7,
  size: 7,
  names: ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT'],
  allowed: '0-7 and SUN-SAT (Sunday is 0 and 7), 5L (the last Friday) and 5#2 (the second Friday)',
};
