import type { CronFieldTexts } from '../expression/cron-expression.js';
import {
  type CronField,
  DAY_OF_MONTH,
  DAY_OF_WEEK,
  HOUR,
  MINUTE,
  MONTH,
  SECOND,
} from '../expression/cron-field.js';
import { isUnrestricted, parseValues } from '../expression/values.parser.js';

/**
 * The fields of an expression as expressions that cronstrue describes rightly, one for each way in which a day can
 * match: it joins a day of month and a day of week with "and", and has no words for lists with `L` or `W`.
 */
export function describableExpressions(fields: CronFieldTexts): readonly string[] {
  const time = `${describable(SECOND, fields.second)} ${describable(MINUTE, fields.minute)} ${describable(HOUR, fields.hour)}`;
  const month = describable(MONTH, fields.month);
  const byNumber = alternatives(DAY_OF_MONTH, fields.dayOfMonth).map((days) => `${time} ${days} ${month} *`);
  const byWeekday = alternatives(DAY_OF_WEEK, fields.dayOfWeek).map((days) => `${time} * ${month} ${days}`);
  const either = [...byNumber, ...byWeekday];
  return either.length === 0 ? [`${time} * ${month} *`] : either;
}

/** The parts of a day field that need a sentence of their own: all plain values together, and each special day. */
function alternatives(field: CronField, text: string): readonly string[] {
  if (isUnrestricted(text)) return [];
  const items = text.split(',');
  const special = items.filter((item) => isSpecialDay(item)).map((item) => (item === 'L-0' ? 'L' : item));
  const plain = items.filter((item) => !isSpecialDay(item));
  return plain.length === 0 ? special : [describable(field, plain.join(',')), ...special];
}

function isSpecialDay(item: string): boolean {
  return /#|\dW$|^L|L$/.test(item);
}

/** A field of values; steps that do not divide the field evenly are spelled out, since "every 7 minutes" is not true. */
function describable(field: CronField, text: string): string {
  const items = text.split(',');
  if (items.some((item) => isUnrestricted(item))) return '*';
  return items.map((item) => (isEvenStep(field, item) ? item : spelledOut(field, item))).join(',');
}

function isEvenStep(field: CronField, item: string): boolean {
  const step = /\/(\d+)$/.exec(item)?.[1];
  if (step === undefined) return true;
  return field !== DAY_OF_WEEK && field.size % Number(step) === 0 && Number(step) < field.size;
}

function spelledOut(field: CronField, item: string): string {
  const values = parseValues(field, item).map((value) => (field === DAY_OF_WEEK ? value % 7 : value));
  return [...new Set(values)].join(',');
}
