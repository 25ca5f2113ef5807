import { countBits, highestBit, lowBits, lowestBit } from './bits.js';

/** Answer of a search in a {@link ValueSet} that found nothing. */
export const NONE = -1;

/** A non-empty, immutable set of numbers 0–63, in two machine words: the values of one field. */
export class ValueSet {
  /** Number of values. */
  readonly size: number;
  /** Smallest value. */
  readonly first: number;
  /** Largest value. */
  readonly last: number;
  private readonly low: number;
  private readonly high: number;

  constructor(values: Iterable<number>) {
    let low = 0;
    let high = 0;
    for (const value of values) {
      if (value < 32) low |= 1 << value;
      else high |= 1 << (value - 32);
    }
    this.low = low;
    this.high = high;
    this.size = countBits(low) + countBits(high);
    this.first = this.next(0);
    this.last = this.previous(63);
  }

  has(value: number): boolean {
    return ((value < 32 ? this.low >>> value : this.high >>> (value - 32)) & 1) === 1;
  }

  /** Smallest value at or above `from` (0–64), or {@link NONE}. */
  next(from: number): number {
    if (from < 32) {
      const rest = this.low & ~lowBits(from);
      if (rest !== 0) return lowestBit(rest);
      return this.high === 0 ? NONE : 32 + lowestBit(this.high);
    }
    const rest = this.high & ~lowBits(from - 32);
    return rest === 0 ? NONE : 32 + lowestBit(rest);
  }

  /** Largest value at or below `from` (−1–63), or {@link NONE}. */
  previous(from: number): number {
    if (from >= 32) {
      const rest = this.high & lowBits(from - 31);
      if (rest !== 0) return 32 + highestBit(rest);
      return this.low === 0 ? NONE : highestBit(this.low);
    }
    const rest = this.low & lowBits(from + 1);
    return rest === 0 ? NONE : highestBit(rest);
  }

  /** How many values lie below `value` (0–64). */
  countBelow(value: number): number {
    if (value < 32) return countBits(this.low & lowBits(value));
    return countBits(this.low) + countBits(this.high & lowBits(value - 32));
  }
}
