/** Position of the lowest set bit of a non-zero word. */
export function lowestBit(word: number): number {
  return 31 - Math.clz32(word & -word);
}

/** Position of the highest set bit of a non-zero word. */
export function highestBit(word: number): number {
  return 31 - Math.clz32(word);
}

/** Number of set bits of a word. */
export function countBits(word: number): number {
  const pairs = word - ((word >>> 1) & 0x5555_5555);
  const nibbles = (pairs & 0x3333_3333) + ((pairs >>> 2) & 0x3333_3333);
  return Math.imul((nibbles + (nibbles >>> 4)) & 0x0f0f_0f0f, 0x0101_0101) >>> 24;
}

/** The `count` lowest bits set, for counts of 0–32. */
export function lowBits(count: number): number {
  return count >= 32 ? -1 : ((1 << count) - 1) | 0;
}
