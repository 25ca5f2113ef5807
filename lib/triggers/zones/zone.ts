import { BoundedCache } from '../bounded-cache.js';
import { DAYS_PER_CYCLE, daysFromCivil } from '../calendar/civil-date.js';
import type { OffsetSegment } from './offset-segment.js';
import { intlOffsets, type OffsetSource } from './offset-source.js';

const MS_PER_SECOND = 1000;
const MS_PER_DAY = 86_400_000;

/** 189 days divide the calendar's cycle of 146,097 days exactly, so that chunks repeat with it. */
const CHUNK = 189 * MS_PER_DAY;
const CHUNKS_PER_CYCLE = (DAYS_PER_CYCLE * MS_PER_DAY) / CHUNK;
/** Distance of the samples that look for changes. No zone has ever changed twice within three days and a half. */
const SAMPLE = 3 * MS_PER_DAY;
/** How far back a change may repeat or skip local times: Alaska, Manila, Kwajalein and Apia moved by a day. */
const LOOK_BACK = SAMPLE;

/** Before this chunk every zone keeps its local mean time. */
const FIRST_CHUNK = Math.floor((daysFromCivil(1800, 1, 1) * MS_PER_DAY) / CHUNK);
/** From this chunk on only yearly rules are left; the last dates fixed one by one are Morocco's of 2087. */
const FIRST_REPEATING_CHUNK = Math.ceil((daysFromCivil(2100, 1, 1) * MS_PER_DAY) / CHUNK);

/** From this instant on a zone's offsets repeat every {@link OFFSET_CYCLE} milliseconds. */
export const OFFSETS_REPEAT_FROM = FIRST_REPEATING_CHUNK * CHUNK;
export const OFFSET_CYCLE = CHUNKS_PER_CYCLE * CHUNK;

const CACHED_CHUNKS = 128;

/**
 * The offset segments of one time zone, for any instant a `Date` can hold. They are found by sampling and bisection,
 * a chunk of half a year when it is first asked for, and remembered; segments are also cut at the borders of chunks.
 */
export class Zone {
  private readonly chunks = new BoundedCache<number, readonly OffsetSegment[]>(CACHED_CHUNKS);
  private readonly createChunk = (index: number): readonly OffsetSegment[] => this.segmentsOfChunk(index);

  constructor(private readonly offsetAt: OffsetSource) {}

  /** The zone of an IANA name that Intl knows. */
  static named(name: string): Zone {
    return new Zone(intlOffsets(name));
  }

  /** The segment that holds `instant`. */
  segmentAt(instant: number): OffsetSegment {
    const segments = this.chunks.getOrCreate(Math.floor(instant / CHUNK), this.createChunk);
    let index = segments.length - 1;
    let segment = segments[index];
    while (segment !== undefined && segment.start > instant) segment = segments[--index];
    if (segment === undefined) throw new RangeError(`${instant} is not an instant`);
    return segment;
  }

  private segmentsOfChunk(index: number): readonly OffsetSegment[] {
    if (index < FIRST_CHUNK) return [this.localMeanTime()];
    const cycles = Math.max(0, Math.floor((index - FIRST_REPEATING_CHUNK) / CHUNKS_PER_CYCLE));
    const start = (index - cycles * CHUNKS_PER_CYCLE) * CHUNK;
    const segments = this.segmentsBetween(start, start + CHUNK);
    return cycles === 0 ? segments : segments.map((segment) => later(segment, cycles * OFFSET_CYCLE));
  }

  private localMeanTime(): OffsetSegment {
    const end = FIRST_CHUNK * CHUNK;
    return { start: -Infinity, end, offset: this.offsetAt(end), freshFrom: -Infinity, skipped: 0 };
  }

  private segmentsBetween(from: number, to: number): readonly OffsetSegment[] {
    const segments: OffsetSegment[] = [];
    let start = from - LOOK_BACK;
    let localEnd = start + this.offsetAt(start);
    while (start < to) {
      const offset = this.offsetAt(start);
      const end = this.nextChange(start, offset, to);
      const skipped = Math.max(0, start + offset - localEnd);
      if (end > from) {
        segments.push({
          start: Math.max(start, from),
          end,
          offset,
          freshFrom: Math.max(start, from, localEnd - offset),
          skipped: start >= from ? skipped : 0,
        });
      }
      localEnd = Math.max(localEnd, end + offset);
      start = end;
    }
    return segments;
  }

  /** First instant after `start` with another offset than `offset`, or `limit` when there is none before it. */
  private nextChange(start: number, offset: number, limit: number): number {
    let same = start;
    while (same < limit) {
      const sample = Math.min(same + SAMPLE, limit);
      if (this.offsetAt(sample) !== offset) return this.bisect(same, sample, offset);
      same = sample;
    }
    return limit;
  }

  private bisect(same: number, changed: number, offset: number): number {
    let low = same / MS_PER_SECOND;
    let high = changed / MS_PER_SECOND;
    while (high - low > 1) {
      const middle = Math.floor((low + high) / 2);
      if (this.offsetAt(middle * MS_PER_SECOND) === offset) low = middle;
      else high = middle;
    }
    return high * MS_PER_SECOND;
  }
}

function later(segment: OffsetSegment, by: number): OffsetSegment {
  return {
    ...segment,
    start: segment.start + by,
    end: segment.end + by,
    freshFrom: segment.freshFrom + by,
  };
}
