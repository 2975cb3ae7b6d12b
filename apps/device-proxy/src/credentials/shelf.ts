/**
 * Things by what they are found by. There may be more than one at a time: a topic is in order for each credential, not
 * for its identity, so that the successor may be known before its predecessor is gone, or even before it is known.
 */
export class Shelf<T> {
  private readonly places = new Map<string, Map<string, T>>();

  put(place: string, id: string, thing: T): void {
    const here = this.places.get(place) ?? new Map<string, T>();
    this.places.set(place, here.set(id, thing));
  }

  take(place: string, id: string): void {
    const here = this.places.get(place);
    here?.delete(id);
    if (here?.size === 0) this.places.delete(place);
  }

  at(place: string): T[] {
    return [...(this.places.get(place)?.values() ?? [])];
  }
}
