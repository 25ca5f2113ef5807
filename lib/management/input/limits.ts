import { ScheduleInvalidError } from '../../schedules/index.js';

/**
 * Refuses a number that there is not.
 *
 * @param what it is the number of, at the beginning of the sentence
 * @throws ScheduleInvalidError
 */
export function refuseOutside(
  what: string,
  value: number,
  { least, most }: { readonly least: number; readonly most: number },
): void {
  if (value < least || value > most) {
    throw new ScheduleInvalidError(`${what} must be from ${least} to ${most}, not ${value}.`);
  }
}
