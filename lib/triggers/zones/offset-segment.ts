/** A stretch of time in which a zone keeps one offset. Instants and lengths are in milliseconds. */
export interface OffsetSegment {
  /** First instant. */
  readonly start: number;
  /** First instant after the segment. */
  readonly end: number;
  /** Local time minus UTC. */
  readonly offset: number;
  /**
   * First instant whose local time has not been before, later than `start` where clocks went back. May lie at or
   * beyond `end`.
   */
  readonly freshFrom: number;
  /** Length of the gap in local time that ends at `start`; zero where clocks did not go forward. */
  readonly skipped: number;
}
