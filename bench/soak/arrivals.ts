/** What came of each device, remembered in a few bytes: millions of values, most of them in order. */

/** The numbers of one device; whatever is below the newest and not missing was seen. */
interface Seen {
  newest: number;
  missing: Set<number>;
  /** Came after a later one. */
  late: Set<number>;
}

export class Arrivals {
  private readonly devices = new Map<string, Seen>();
  values = 0;
  repeated = 0;

  note(device: string, number: number) {
    this.values++;
    const seen = this.devices.get(device) ?? { newest: number - 1, missing: new Set(), late: new Set() };
    this.devices.set(device, seen);
    if (number > seen.newest) {
      for (let n = seen.newest + 1; n < number; n++) seen.missing.add(n);
      seen.newest = number;
    } else if (seen.missing.delete(number)) seen.late.add(number);
    else this.repeated++;
  }

  /** Of these numbers of a device, those that have not come. */
  lost(device: string, numbers: readonly number[]) {
    const seen = this.devices.get(device);
    return numbers.filter((n) => !seen || n > seen.newest || seen.missing.has(n));
  }

  /** Of these numbers of a device, those that came after a later one. What was not acknowledged has no place. */
  overtaken(device: string, numbers: readonly number[]) {
    const late = this.devices.get(device)?.late;
    return late && late.size > 0 ? numbers.filter((n) => late.has(n)) : [];
  }
}
