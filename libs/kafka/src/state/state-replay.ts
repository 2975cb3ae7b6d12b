interface Reading<P> {
  next: bigint;
  /** The last value of each key, when the partition was read before; what is older than the state is not shown. */
  repeated: Map<string, P | undefined> | undefined;
}

/**
 * A topic of state is read from its beginning again after each join, and when it was deleted and created. A repeated
 * reading of a partition changes the state only when it has reached the end: until then its values are outdated.
 * Keys that the topic does not have any more keep their values: a topic that lost everything ends no devices and keys.
 */
export class StateReplay<P> {
  private readonly known = new Set<number>();
  private readonly readings = new Map<number, Reading<P>>();

  constructor(private readonly set: (key: string, value: P | undefined) => void) {}

  /** All partitions, or this one, are read from the beginning. */
  begin(partition?: number): void {
    if (partition === undefined) this.readings.clear();
    else this.readings.delete(partition);
  }

  /** Whether this offset was read already, although reading did not begin again. */
  isBehind(partition: number, offset: bigint): boolean {
    return offset < (this.readings.get(partition)?.next ?? 0n);
  }

  isRepeated(partition: number): boolean {
    return this.reading(partition).repeated !== undefined;
  }

  applyValue(partition: number, key: string, value: P | undefined): void {
    const { repeated } = this.reading(partition);
    if (repeated) repeated.set(key, value);
    else this.set(key, value);
  }

  /** `end`: the high watermark of the partition, from the fetch response. */
  advance(partition: number, next: bigint, end: bigint): void {
    const reading = this.reading(partition);
    reading.next = next;
    if (next < end) return;
    this.known.add(partition);
    if (!reading.repeated) return;
    for (const [key, value] of reading.repeated) this.set(key, value);
    reading.repeated = undefined;
  }

  private reading(partition: number): Reading<P> {
    const present = this.readings.get(partition);
    if (present) return present;
    const reading = { next: 0n, repeated: this.known.has(partition) ? new Map<string, P | undefined>() : undefined };
    this.readings.set(partition, reading);
    return reading;
  }
}
