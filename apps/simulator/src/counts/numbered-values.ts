/** Above all sensor values, so that values that count up can be told from them. */
const first = 1_000;

interface Sequence {
  next: number;
  /** Not acknowledged (yet): dropped, in flight, or sent in a way that has no acknowledgements. */
  unacknowledged: Set<number>;
}

/** Values that count up, so that tests can tell whether one is missing. */
export class NumberedValues {
  private readonly sequences = new Map<string, Sequence>();

  /** The next value of a resource, recorded before it is sent. */
  nextValue(device: string, path: string): number {
    const key = `${device} ${path}`;
    const sequence = this.sequences.get(key) ?? { next: first, unacknowledged: new Set() };
    this.sequences.set(key, sequence);
    sequence.unacknowledged.add(sequence.next);
    return sequence.next++;
  }

  acknowledged(device: string, path: string, value: number): void {
    this.sequences.get(`${device} ${path}`)?.unacknowledged.delete(value);
  }

  /** `{ "sim-7 /3303/0/5700": { first: 1000, next: 1120, unacknowledged: [1017] } }` */
  all(): Record<string, { first: number; next: number; unacknowledged: number[] }> {
    return Object.fromEntries(
      [...this.sequences].map(([key, { next, unacknowledged }]) => [
        key,
        { first, next, unacknowledged: [...unacknowledged] },
      ]),
    );
  }
}
