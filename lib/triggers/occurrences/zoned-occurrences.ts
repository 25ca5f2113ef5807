import type { CivilPattern } from '../calendar/civil-pattern.js';
import type { OffsetSegment } from '../zones/offset-segment.js';
import { OFFSET_CYCLE, OFFSETS_REPEAT_FROM, type Zone } from '../zones/zone.js';
import { FIRST_INSTANT, LAST_INSTANT } from './instant-range.js';
import type { Occurrences } from './occurrences.js';

/** Longer than the offsets of a zone ever lie apart (31 hours): how far local times can be repeated or skipped. */
const OFFSET_SPREAD = 2 * 86_400_000;

export interface ZonedRules {
  /** Fire only at the first instant of a repeated local time. */
  readonly onlyFresh: boolean;
  /** Fire at the end of a gap in which a local time matches. */
  readonly afterGaps: boolean;
}

/**
 * The instants at which a pattern of local times matches in a zone. Within a segment of constant offset the pattern
 * is arithmetic; the search walks segments, and leaps over those that cannot hold a match. No cron library takes part:
 * those there are go wrong, or step through time, around changes of the offset.
 */
export class ZonedOccurrences implements Occurrences {
  constructor(
    private readonly pattern: CivilPattern,
    private readonly zone: Zone,
    private readonly rules: ZonedRules,
  ) {}

  next(after: number): number | undefined {
    let from = Math.max(after + 1, FIRST_INSTANT);
    // Offsets and dates repeat every 400 years: what has not come in one whole cycle never comes.
    const limit = Math.min(Math.max(from, OFFSETS_REPEAT_FROM) + OFFSET_CYCLE, LAST_INSTANT);
    while (from <= limit) {
      const segment = this.zone.segmentAt(from);
      if (from === segment.start && this.firesAfterGap(segment)) return from;
      const usableFrom = Math.max(from, this.usableStart(segment));
      const found = this.pattern.next(usableFrom + segment.offset) - segment.offset;
      if (found < segment.end) return found <= LAST_INSTANT ? found : undefined;
      const covered = segment.end - usableFrom;
      from = covered >= OFFSET_SPREAD ? Math.max(segment.end, found - OFFSET_SPREAD) : segment.end;
    }
    return undefined;
  }

  previous(atOrBefore: number): number | undefined {
    let to = Math.min(atOrBefore, LAST_INSTANT);
    const emptyCycle = to - OFFSET_CYCLE;
    while (to >= FIRST_INSTANT) {
      // What was not in one whole cycle was in none of those before it, back to where cycles begin.
      if (to < emptyCycle && to >= OFFSETS_REPEAT_FROM) to = OFFSETS_REPEAT_FROM - 1;
      const segment = this.zone.segmentAt(to);
      const usableFrom = this.usableStart(segment);
      const found = this.pattern.previous(to + segment.offset) - segment.offset;
      if (found >= usableFrom) return found >= FIRST_INSTANT ? found : undefined;
      if (this.firesAfterGap(segment)) return segment.start;
      const covered = to - usableFrom;
      to = covered >= OFFSET_SPREAD ? Math.min(segment.start - 1, found + OFFSET_SPREAD) : segment.start - 1;
    }
    return undefined;
  }

  count(after: number, until: number): number {
    const from = Math.max(after + 1, FIRST_INSTANT);
    const to = Math.min(until, LAST_INSTANT) + 1;
    const cycles = Math.max(0, Math.floor((to - Math.max(from, OFFSETS_REPEAT_FROM)) / OFFSET_CYCLE));
    const rest = this.countBetween(from, to - cycles * OFFSET_CYCLE);
    if (cycles === 0) return rest;
    return rest + cycles * this.countBetween(OFFSETS_REPEAT_FROM, OFFSETS_REPEAT_FROM + OFFSET_CYCLE);
  }

  /** Number of occurrences in [start, end). */
  private countBetween(start: number, end: number): number {
    let count = 0;
    let from = start;
    while (from < end) {
      const segment = this.zone.segmentAt(from);
      const to = Math.min(segment.end, end);
      const usableFrom = Math.max(from, this.usableStart(segment));
      if (usableFrom < to) count += this.pattern.count(usableFrom + segment.offset, to + segment.offset);
      if (from === segment.start && this.firesAfterGap(segment) && !this.matchesAt(segment)) count++;
      from = to;
    }
    return count;
  }

  private usableStart(segment: OffsetSegment): number {
    return this.rules.onlyFresh ? segment.freshFrom : segment.start;
  }

  /** Whether a matching local time was skipped by the gap that ends where the segment starts. */
  private firesAfterGap({ start, offset, skipped }: OffsetSegment): boolean {
    if (!this.rules.afterGaps || skipped === 0) return false;
    return this.pattern.next(start + offset - skipped) < start + offset;
  }

  private matchesAt({ start, offset }: OffsetSegment): boolean {
    return this.pattern.next(start + offset) === start + offset;
  }
}
