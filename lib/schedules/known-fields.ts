import { preview } from './preview.js';
import { ScheduleInvalidError } from './schedule.errors.js';

/** Fields from a caller, whose values nobody has checked. */
export type Fields = Readonly<Record<string, unknown>>;

/**
 * The fields of an object from a caller, each read once: what was checked is what is used, whatever getters do. What it
 * inherits does not count.
 *
 * @param what completes "… is no field of".
 * @throws ScheduleInvalidError when it is no object, cannot be read, or has other fields than the known ones.
 */
export function knownFields(given: unknown, known: readonly string[], what: string): Fields {
  const fields = ownFields(given);
  if (fields === undefined) {
    throw new ScheduleInvalidError(
      `Expected ${what} as an object with ${known.join(', ')}, not ${preview(given)}.`,
    );
  }
  const unknown = Object.keys(fields).find((field) => !known.includes(field));
  if (unknown !== undefined) {
    throw new ScheduleInvalidError(
      `${preview(unknown)} is no field of ${what}; the fields are ${known.join(', ')}.`,
    );
  }
  return fields;
}

function ownFields(given: unknown): Fields | undefined {
  try {
    // No arrays, maps, dates …, which have no fields of their own.
    return Object.prototype.toString.call(given) === '[object Object]'
      ? Object.fromEntries(Object.entries(given as object))
      : undefined;
  } catch {
    return undefined;
  }
}
