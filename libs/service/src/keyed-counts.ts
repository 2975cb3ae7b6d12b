/** A number for each key. A key whose number is 0 takes no memory. */
export class KeyedCounts {
  private readonly counts = new Map<string, number>();

  /** How many keys have a number that is not 0. */
  get size(): number {
    return this.counts.size;
  }

  get(key: string): number {
    return this.counts.get(key) ?? 0;
  }

  increment(key: string, by = 1): void {
    this.counts.set(key, this.get(key) + by);
  }

  decrement(key: string, by = 1): void {
    const left = this.get(key) - by;
    if (left > 0) this.counts.set(key, left);
    else this.counts.delete(key);
  }
}
