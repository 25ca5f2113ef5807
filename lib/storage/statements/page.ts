/** How many rows can be paged through; beyond them a total is not counted, and a narrower filter is the way. */
export const MAX_PAGED_ROWS = 100_000;

/** Rows to read so that one more than can be paged through is noticed. */
export const WINDOW_SIZE = MAX_PAGED_ROWS + 1;

/** Which rows of a result to read, in which order. */
export interface PageSlice<SortField extends string> {
  readonly offset: number;
  readonly limit: number;
  readonly sort?: { readonly field: SortField; readonly isDescending: boolean };
}

/** One page of a result. */
export interface Page<Item> {
  readonly items: readonly Item[];
  /** How many there are in all, at most MAX_PAGED_ROWS. */
  readonly total: number;
  /** False where there are more, or may be: not everything was searched. */
  readonly totalIsExact: boolean;
}

/** How far a search got. */
export interface Tally {
  readonly matched: number | string;
  /** Rows looked at, WINDOW_SIZE at most. */
  readonly searched: number | string;
}

/** The page, with a total that is exact where everything was searched. */
export function pageOf<Item>(items: readonly Item[], tally: Tally | undefined): Page<Item> {
  return {
    items,
    total: Math.min(Number(tally?.matched ?? 0), MAX_PAGED_ROWS),
    totalIsExact: Number(tally?.searched ?? 0) <= MAX_PAGED_ROWS,
  };
}
