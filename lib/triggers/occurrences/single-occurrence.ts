import type { Occurrences } from './occurrences.js';

/** One instant. */
export class SingleOccurrence implements Occurrences {
  constructor(private readonly at: number) {}

  next(after: number): number | undefined {
    return this.at > after ? this.at : undefined;
  }

  previous(atOrBefore: number): number | undefined {
    return this.at <= atOrBefore ? this.at : undefined;
  }

  count(after: number, until: number): number {
    return this.at > after && this.at <= until ? 1 : 0;
  }
}
