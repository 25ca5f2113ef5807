import {
  isStorableText,
  preview,
  ScheduleInvalidError,
  unixMsOf,
  type Fields,
} from '../../schedules/index.js';

const MAX_TEXT_LENGTH = 500;

/** An optional text of an operator's, or a key. */
export function textOption(fields: Fields, field: string): string | undefined {
  const value = fields[field];
  if (value === undefined) {
    return undefined;
  }
  const isText = typeof value === 'string' && value !== '' && value.length <= MAX_TEXT_LENGTH;
  if (!isText || !isStorableText(value)) {
    throw new ScheduleInvalidError(
      `${field} must be a string of 1 to ${MAX_TEXT_LENGTH} characters, without NUL or lone surrogates.`,
    );
  }
  return value;
}

/** An optional instant. */
export function instantOption(fields: Fields, field: string): number | undefined {
  const value = fields[field];
  const unixMs = unixMsOf(value);
  if (value !== undefined && unixMs === undefined) {
    throw new ScheduleInvalidError(
      `${field} must be a valid Date or a whole number of Unix milliseconds, not ${preview(value)}.`,
    );
  }
  return unixMs;
}

/** An instant that must be given. */
export function requiredInstant(fields: Fields, field: string): number {
  const unixMs = instantOption(fields, field);
  if (unixMs === undefined) {
    throw new ScheduleInvalidError(`${field} is required: a Date or a whole number of Unix milliseconds.`);
  }
  return unixMs;
}

/** An optional switch, off by default unless said otherwise. */
export function flagOption(fields: Fields, field: string, fallback = false): boolean {
  const value = fields[field];
  if (value !== undefined && typeof value !== 'boolean') {
    throw new ScheduleInvalidError(`${field} must be true or false, not ${preview(value)}.`);
  }
  return value ?? fallback;
}
