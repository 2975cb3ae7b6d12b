/** The values that arrived from each device, stored in a few bytes: there are millions, most of them in order. */

/** The numbers of one device: every number up to the newest that is not missing has arrived. */
interface Seen {
  newest: number;
  missing: Set<number>;
  /** Numbers that arrived after a later one. */
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

  /** Those of a device's numbers that have not arrived. */
  lost(device: string, numbers: readonly number[]) {
    const seen = this.devices.get(device);
    return numbers.filter((n) => !seen || n > seen.newest || seen.missing.has(n));
  }

  /** Those of a device's numbers that arrived after a later one. Unacknowledged numbers have no place in the order. */
  overtaken(device: string, numbers: readonly number[]) {
    const late = this.devices.get(device)?.late;
    return late && late.size > 0 ? numbers.filter((n) => late.has(n)) : [];
  }
}
