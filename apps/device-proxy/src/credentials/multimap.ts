/**
 * Things by what they are found by. There may be more than one at a time: a topic is in order for each credential, not
 * for its identity, so that the successor may be known before its predecessor is gone, or even before it is known.
 */
export class Multimap<T> {
  private readonly entries = new Map<string, Map<string, T>>();

  set(key: string, id: string, value: T): void {
    const values = this.entries.get(key) ?? new Map<string, T>();
    this.entries.set(key, values.set(id, value));
  }

  delete(key: string, id: string): void {
    const values = this.entries.get(key);
    values?.delete(id);
    if (values?.size === 0) this.entries.delete(key);
  }

  get(key: string): T[] {
    return [...(this.entries.get(key)?.values() ?? [])];
  }
}
