import { CivilPattern } from '../calendar/civil-pattern.js';
import { DayPattern } from '../calendar/day-pattern.js';
import { TimeOfDay } from '../calendar/time-of-day.js';
import { ValueSet } from '../calendar/value-set.js';
import { quote } from '../../quote.js';
import { TriggerInvalidError } from '../trigger-invalid.error.js';
import type { CalendarExpression, CronFieldTexts } from './cron-expression.js';
import { HOUR, MINUTE, MONTH, SECOND } from './cron-field.js';
import { parseDayOfMonth, parseDayOfWeek } from './days.parser.js';
import { parseValues } from './values.parser.js';

/** Reads five fields, or six with leading seconds. */
export function parseFields(body: string): Omit<CalendarExpression, 'kind' | 'zonePrefix'> {
  const texts = splitTexts(body);
  const fields = nameFields(texts);
  const hours = new ValueSet(parseValues(HOUR, fields.hour));
  const times = new TimeOfDay(
    new ValueSet(parseValues(SECOND, fields.second)),
    new ValueSet(parseValues(MINUTE, fields.minute)),
    hours,
  );
  const dayOfMonth = parseDayOfMonth(fields.dayOfMonth);
  const months = new ValueSet(parseValues(MONTH, fields.month));
  const dayOfWeek = parseDayOfWeek(fields.dayOfWeek);
  const days = new DayPattern(months, dayOfMonth, dayOfWeek);
  if (days.isEmpty) throw noSuchDate(fields);
  return {
    text: texts.join(' '),
    fields,
    pattern: new CivilPattern(days, times),
    restrictsHour: hours.size < HOUR.size,
    unitesDays: dayOfMonth.restricted && dayOfWeek.restricted,
  };
}

function splitTexts(body: string): readonly string[] {
  // Anything beyond ASCII stays as it is: capitals of some letters are ASCII (of the long s, of the Kelvin sign).
  const texts = body.split(/\s+/).map((text) => (/^[\x21-\x7e]+$/.test(text) ? text.toUpperCase() : text));
  if (texts.length !== 5 && texts.length !== 6) throw wrongNumberOfFields(body, texts);
  return texts;
}

function nameFields(texts: readonly string[]): CronFieldTexts {
  const [second = '', minute = '', hour = '', dayOfMonth = '', month = '', dayOfWeek = ''] =
    texts.length === 5 ? ['0', ...texts] : texts;
  return { second, minute, hour, dayOfMonth, month, dayOfWeek };
}

function wrongNumberOfFields(body: string, texts: readonly string[]): TriggerInvalidError {
  return new TriggerInvalidError(
    'expr_invalid',
    `The cron expression ${quote(body)} has ${texts.length} field${texts.length === 1 ? '' : 's'}; it needs five ` +
      `(minute, hour, day of month, month, day of week) or six with leading seconds. ${adviceOnFields(texts)}`,
  );
}

function adviceOnFields(texts: readonly string[]): string {
  const joined = texts.join(' ');
  if (texts.length === 4) return `If the day of week is missing, write ${quote(`${joined} *`)}.`;
  if (texts.length === 7) {
    const withoutYear = texts.slice(0, 6).join(' ');
    return `There is no field for years, as in Quartz: write ${quote(withoutYear)}; mind that Sunday is 0 here and 1 there.`;
  }
  return 'An example is "0 2 * * *", daily at 02:00.';
}

function noSuchDate({ dayOfMonth, month }: CronFieldTexts): TriggerInvalidError {
  return new TriggerInvalidError(
    'expr_invalid',
    `The day of month ${quote(dayOfMonth)} never comes in the month ${quote(month)}, so the cron expression would ` +
      `never fire: change one of them; L is the last day of any month.`,
  );
}
