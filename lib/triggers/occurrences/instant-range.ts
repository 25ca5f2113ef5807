/** The instants a `Date` can hold: 100 million days around the epoch, in milliseconds. */
export const FIRST_INSTANT = -8_640_000_000_000_000;
export const LAST_INSTANT = 8_640_000_000_000_000;

/** An instant, if it is one that a `Date` can hold. */
export function ifInstant(value: number): number | undefined {
  return value >= FIRST_INSTANT && value <= LAST_INSTANT ? value : undefined;
}
