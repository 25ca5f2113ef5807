import { type CronField, DAY_OF_WEEK } from './cron-field.js';
import { fieldError } from './field-error.js';

const ITEM = /^(?:(\*)|(\d+|[A-Z]{3})(?:-(\d+|[A-Z]{3}))?)(?:\/(\d+))?$/;

/** Whether a field's text says nothing: every value is meant. */
export function isUnrestricted(text: string): boolean {
  return text === '*' || text === '?' || /^\*\/0*1$/.test(text);
}

/** The values of a field that knows only values: a list of stars, numbers, names, ranges and steps. */
export function parseValues(field: CronField, text: string): readonly number[] {
  if (isUnrestricted(text)) return valuesBetween(field.min, field.max, 1);
  return text.split(',').flatMap((item) => parseItem(field, item, text));
}

/** The values of one item of a list. `text` is the whole field, for the message. */
export function parseItem(field: CronField, item: string, text: string): readonly number[] {
  const [, star, from = '', to, stepText] = ITEM.exec(item) ?? refuse(field, item, text);
  const step = stepText === undefined ? 1 : Number(stepText);
  if (step < 1 || step > field.size) refuse(field, item, text);
  if (star !== undefined) return valuesBetween(field.min, field.max, step);
  const first = valueOf(field, from) ?? refuse(field, item, text);
  const last =
    to === undefined ? lastOfSingle(field, first, stepText) : valueOf(field, endOf(field, from, to));
  if (last === undefined || last < first) refuse(field, item, text);
  return valuesBetween(first, last, step);
}

/** The value of a number or a name, undefined when the field has no such value. */
export function valueOf(field: CronField, text: string): number | undefined {
  const value = /^\d+$/.test(text) ? Number(text) : indexOfName(field, text);
  return value !== undefined && value >= field.min && value <= field.max ? value : undefined;
}

function indexOfName(field: CronField, name: string): number | undefined {
  const index = field.names.indexOf(name);
  return index === -1 ? undefined : index + field.min;
}

/** `5` is itself, `5/15` runs to the end of the field. */
function lastOfSingle(field: CronField, value: number, step: string | undefined): number {
  return step === undefined ? value : field.max;
}

/** A week may end with Sunday: `FRI-SUN` is 5-7. */
function endOf(field: CronField, from: string, to: string): string {
  return field === DAY_OF_WEEK && to === 'SUN' && from !== 'SUN' ? '7' : to;
}

function valuesBetween(first: number, last: number, step: number): readonly number[] {
  return Array.from({ length: Math.floor((last - first) / step) + 1 }, (_, index) => first + index * step);
}

function refuse(field: CronField, item: string, text: string): never {
  throw fieldError(field, item, text);
}
