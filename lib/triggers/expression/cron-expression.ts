import type { CivilPattern } from '../calendar/civil-pattern.js';

/** The texts of the six fields, in capitals; the second is `0` where the expression had five. */
export interface CronFieldTexts {
  readonly second: string;
  readonly minute: string;
  readonly hour: string;
  readonly dayOfMonth: string;
  readonly month: string;
  readonly dayOfWeek: string;
}

/** Fields, or a descriptor that stands for fields. */
export interface CalendarExpression {
  readonly kind: 'calendar';
  /** The expression as it is stored: without zone prefix, one space between fields, names in capitals. */
  readonly text: string;
  /** The zone of a `CRON_TZ=` or `TZ=` prefix, as written. */
  readonly zonePrefix: string | undefined;
  readonly fields: CronFieldTexts;
  readonly pattern: CivilPattern;
  /** Whether the hour field leaves hours out; decides what happens to repeated local times. */
  readonly restrictsHour: boolean;
  /** Whether a day matches by day of month *or* day of week, both being restricted. */
  readonly unitesDays: boolean;
}

/** `@every`: a fixed rate aligned to the epoch. */
export interface EveryExpression {
  readonly kind: 'every';
  readonly text: string;
  readonly everyMs: number;
}

/** A cron expression that was read. Immutable. */
export type CronExpression = CalendarExpression | EveryExpression;
