/**
 * Multimap from a name to the values that have it, such as credentials by identity. A topic keeps order per credential, not per
 * identity, so a successor may arrive before its predecessor is removed, or even before the predecessor itself. A name almost always
 * has one value, which is stored without a map.
 */
export class Multimap<Id, T extends object> {
  private readonly entries = new Map<string, T | Map<Id, T>>();

  constructor(private readonly idOf: (value: T) => Id) {}

  add(key: string, value: T): void {
    const present = this.entries.get(key);
    if (present instanceof Map) present.set(this.idOf(value), value);
    else if (present === undefined || this.idOf(present) === this.idOf(value)) this.entries.set(key, value);
    else this.entries.set(key, new Map([present, value].map((one) => [this.idOf(one), one])));
  }

  delete(key: string, id: Id): void {
    const present = this.entries.get(key);
    if (present instanceof Map) present.delete(id);
    const isLast = present instanceof Map ? present.size === 0 : present !== undefined && this.idOf(present) === id;
    if (isLast) this.entries.delete(key);
  }

  get(key: string): T[] {
    const present = this.entries.get(key);
    if (present === undefined) return [];
    return present instanceof Map ? [...present.values()] : [present];
  }
}
