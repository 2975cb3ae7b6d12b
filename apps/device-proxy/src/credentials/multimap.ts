/**
 * Multimap from identity to credentials. The topic keeps order per credential, not per identity, so a successor may
 * arrive before its predecessor is removed, or even before the predecessor itself.
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
