/** Random choices that are the same for the same seed. */
export class Random {
  constructor(private state: number) {}

  /** A further source, whose choices do not depend on how many this one has made before. */
  static derived(seed: number, name: string): Random {
    let hash = seed;
    for (const letter of name) {
      hash = Math.imul(hash ^ letter.charCodeAt(0), 0x01_00_01_93);
    }
    return new Random(hash);
  }

  /** At least 0 and less than 1. */
  fraction(): number {
    // Mulberry32.
    this.state = (this.state + 0x6d_2b_79_f5) | 0;
    let mixed = Math.imul(this.state ^ (this.state >>> 15), 1 | this.state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  }

  /** A whole number, both bounds included. */
  integer(least: number, most: number): number {
    return least + Math.floor(this.fraction() * (most - least + 1));
  }

  chance(probability: number): boolean {
    return this.fraction() < probability;
  }

  pick<const Item>(items: readonly [Item, ...Item[]]): Item;
  pick<Item>(items: readonly Item[]): Item | undefined;
  pick<Item>(items: readonly Item[]): Item | undefined {
    return items[this.integer(0, items.length - 1)];
  }

  /** One of the items, each as often as its weight says. */
  weighted<Item extends { readonly weight: number }>(items: readonly Item[]): Item {
    let left = this.fraction() * items.reduce((sum, { weight }) => sum + weight, 0);
    const chosen = items.find(({ weight }) => (left -= weight) < 0) ?? items.at(-1);
    if (chosen === undefined) {
      throw new Error('There is nothing to choose from.');
    }
    return chosen;
  }
}
