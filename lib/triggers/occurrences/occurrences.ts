/**
 * The occurrences of a trigger, a strictly increasing sequence of instants in Unix milliseconds. Every method is pure
 * and takes time independent of the distance it covers, up to a constant number of steps a year.
 */
export interface Occurrences {
  /** The first occurrence strictly after an instant; undefined when there is none. */
  next(after: number): number | undefined;
  /** The latest occurrence at or before an instant; undefined when there is none. */
  previous(atOrBefore: number): number | undefined;
  /** The exact number of occurrences in (after, until]; zero when `until` is not after `after`. */
  count(after: number, until: number): number;
}
