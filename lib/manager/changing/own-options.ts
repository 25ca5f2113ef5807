import {
  flagField,
  instantField,
  isStorableText,
  ScheduleInvalidError,
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

/** An instant that must be given. */
export function requiredInstant(fields: Fields, field: string): number {
  const unixMs = instantField(fields[field], field);
  if (unixMs === undefined) {
    throw new ScheduleInvalidError(`${field} is required: a Date or a whole number of Unix milliseconds.`);
  }
  return unixMs;
}

/** An optional switch, off by default unless said otherwise. */
export function flagOption(fields: Fields, field: string, fallback = false): boolean {
  return flagField(fields[field], field) ?? fallback;
}
