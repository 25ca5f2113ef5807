import { ifInstant } from './instant-range.js';
import type { Occurrences } from './occurrences.js';

/** Every instant a whole number of periods before or after an anchor. Exact over the whole range of instants. */
export class FixedRateOccurrences implements Occurrences {
  private readonly phase: number;

  constructor(
    private readonly everyMs: number,
    anchor: number,
  ) {
    this.phase = anchor % everyMs;
  }

  next(after: number): number | undefined {
    return ifInstant(this.atOrBefore(after) + this.everyMs);
  }

  previous(atOrBefore: number): number | undefined {
    return ifInstant(this.atOrBefore(atOrBefore));
  }

  count(after: number, until: number): number {
    if (until <= after) return 0;
    // Both are whole multiples apart; their difference may exceed 2^53 by a bit, its quotient cannot.
    return Math.round((this.atOrBefore(until) - this.atOrBefore(after)) / this.everyMs);
  }

  private atOrBefore(instant: number): number {
    const since = (instant - this.phase) % this.everyMs;
    return instant - (since < 0 ? since + this.everyMs : since);
  }
}
