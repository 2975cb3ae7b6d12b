const none: ReadonlySet<never> = new Set();

/** A set of values for each key. A key without values takes no memory. */
export class KeyedSets<K, V> {
  private readonly sets = new Map<K, Set<V>>();

  add(key: K, value: V): void {
    const set = this.sets.get(key) ?? new Set<V>();
    this.sets.set(key, set.add(value));
  }

  /** Returns whether the key had the value. */
  delete(key: K, value: V): boolean {
    const set = this.sets.get(key);
    const isDeleted = set?.delete(value) ?? false;
    if (set?.size === 0) this.sets.delete(key);
    return isDeleted;
  }

  /** Changes with the next `add` or `delete`. */
  get(key: K): ReadonlySet<V> {
    return this.sets.get(key) ?? none;
  }

  /** The values of all keys. */
  values(): V[] {
    return [...this.sets.values()].flatMap((set) => [...set]);
  }
}
