import { unixMsOf } from './instant.js';
import { preview } from './preview.js';
import { ScheduleInvalidError } from './schedule.errors.js';

/**
 * Checks an instant from a caller. What is undefined is not given.
 *
 * @param subject names the field at the beginning of the sentence.
 * @returns whole Unix milliseconds.
 * @throws ScheduleInvalidError
 */
export function instantField(value: unknown, subject: string): number | undefined {
  const unixMs = unixMsOf(value);
  if (value !== undefined && unixMs === undefined) {
    throw new ScheduleInvalidError(
      `${subject} must be a valid Date or a whole number of Unix milliseconds, not ${preview(value)}.`,
    );
  }
  return unixMs;
}

/** Checks a switch from a caller, as `instantField` does. @throws ScheduleInvalidError */
export function flagField(value: unknown, subject: string): boolean | undefined {
  if (value !== undefined && typeof value !== 'boolean') {
    throw new ScheduleInvalidError(`${subject} must be true or false, not ${preview(value)}.`);
  }
  return value;
}
