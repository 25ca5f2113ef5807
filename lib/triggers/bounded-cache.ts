/**
 * A map that forgets: at most two generations of `generationSize` entries. A hit is one look-up, without the
 * bookkeeping of a least-recently-used list; an entry in use survives, because a hit in the old generation moves it
 * to the young one.
 */
export class BoundedCache<K, V extends object> {
  private young = new Map<K, V>();
  private old = new Map<K, V>();

  constructor(private readonly generationSize: number) {}

  /** The value under `key`, made by `create` when it is not remembered. What `create` throws is not remembered. */
  getOrCreate(key: K, create: (key: K) => V): V {
    const hit = this.young.get(key);
    if (hit !== undefined) return hit;
    const value = this.old.get(key) ?? create(key);
    this.remember(key, value);
    return value;
  }

  private remember(key: K, value: V): void {
    if (this.young.size >= this.generationSize) {
      this.old = this.young;
      this.young = new Map();
    }
    this.young.set(key, value);
  }
}
