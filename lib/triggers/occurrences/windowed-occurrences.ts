import type { Occurrences } from './occurrences.js';

/** The occurrences within [startsAt, endsAt]. */
export class WindowedOccurrences implements Occurrences {
  constructor(
    private readonly occurrences: Occurrences,
    private readonly startsAt: number,
    private readonly endsAt: number,
  ) {}

  next(after: number): number | undefined {
    if (after >= this.endsAt) return undefined;
    const next = this.occurrences.next(Math.max(after, this.startsAt - 1));
    return next !== undefined && next <= this.endsAt ? next : undefined;
  }

  previous(atOrBefore: number): number | undefined {
    if (atOrBefore < this.startsAt) return undefined;
    const previous = this.occurrences.previous(Math.min(atOrBefore, this.endsAt));
    return previous !== undefined && previous >= this.startsAt ? previous : undefined;
  }

  count(after: number, until: number): number {
    return this.occurrences.count(Math.max(after, this.startsAt - 1), Math.min(until, this.endsAt));
  }
}
