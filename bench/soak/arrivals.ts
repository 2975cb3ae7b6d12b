/** The values that arrived from each device, stored in a few bytes: there are millions, most of them in order. */

/** The numbers of one device: every number from the oldest up to the newest that is not missing has arrived. */
interface Seen {
  oldest: number;
  newest: number;
  missing: Set<number>;
  /** Numbers that arrived after a later one. */
  late: Set<number>;
}

const addBetween = (numbers: Set<number>, after: number, before: number) => {
  for (let n = after + 1; n < before; n++) numbers.add(n);
};

export class Arrivals {
  private readonly devices = new Map<string, Seen>();
  values = 0;
  repeated = 0;

  note(device: string, number: number) {
    this.values++;
    const seen = this.devices.get(device);
    if (!seen) {
      this.devices.set(device, { oldest: number, newest: number, missing: new Set(), late: new Set() });
    } else if (number > seen.newest) {
      addBetween(seen.missing, seen.newest, number);
      seen.newest = number;
    } else if (number < seen.oldest) {
      addBetween(seen.missing, number, seen.oldest);
      seen.oldest = number;
      seen.late.add(number);
    } else if (seen.missing.delete(number)) seen.late.add(number);
    else this.repeated++;
  }

  /** Those of a device's numbers that have not arrived. */
  lost(device: string, numbers: readonly number[]) {
    const seen = this.devices.get(device);
    return numbers.filter((n) => !seen || n < seen.oldest || n > seen.newest || seen.missing.has(n));
  }

  /** Those of a device's numbers that arrived after a later one. Unacknowledged numbers have no place in the order. */
  overtaken(device: string, numbers: readonly number[]) {
    const late = this.devices.get(device)?.late;
    return late && late.size > 0 ? numbers.filter((n) => late.has(n)) : [];
  }
}
