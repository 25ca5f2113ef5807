import { types } from 'node:util';

/** The furthest instant that a JavaScript date can hold, in Unix ms; the store holds the same. */
const MAX_INSTANT_MS = 8_640_000_000_000_000;

/** The whole Unix milliseconds of a valid Date or a number; undefined for whatever is neither. */
export function unixMsOf(value: unknown): number | undefined {
  // Not `instanceof`, which also what only looks like a date passes.
  const instant = types.isDate(value) ? value.getTime() : value;
  return typeof instant === 'number' && Number.isInteger(instant) && Math.abs(instant) <= MAX_INSTANT_MS
    ? instant
    : undefined;
}
