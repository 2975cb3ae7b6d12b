import type { StoredPositions } from './batch.js';

interface Gate {
  /** Next offset to be processed; undefined when the store knows none. */
  expected: bigint | undefined;
  /** The position for which a seek was made already: if other offsets are offered again, Kafka has no others. */
  soughtFor?: bigint;
}

/** Called after each attempt to read positions that failed. `failures`: how many have failed in a row. */
type Pause = (error: unknown, failures: number) => Promise<void>;

export type Verdict =
  | { kind: 'handle'; from: bigint }
  | { kind: 'seek'; to: bigint }
  /** The position is beyond the end of the log: the store must correct it. */
  | { kind: 'reread' };

/**
 * Keeps a consumer in step with a store that holds positions together with effects. A partition's gate is closed
 * until the stored position was read and sought to; a fetch that began at another position meanwhile is not handled.
 */
export class PositionGates {
  private gates = new Map<number, Promise<Gate>>();
  /** Incremented when positions are read again, or not needed any more: an older reading is abandoned. */
  private round = 0;

  constructor(
    private readonly store: StoredPositions,
    private readonly topic: string,
  ) {}

  /** Reads the positions again; `seek` is called for each that the store knows. Retries until the store answers or `end`. */
  assign(partitions: number[], seek: (partition: number, offset: bigint) => void, pause: Pause): void {
    const stored = this.readUntilAnswered(partitions, pause);
    this.gates = new Map(
      partitions.map((partition) => [
        partition,
        stored.then((positions) => {
          const expected = positions.get(partition);
          if (expected !== undefined) seek(partition, expected);
          return { expected };
        }),
      ]),
    );
  }

  /** What to do with a fetch of this partition that starts at `first`. */
  async judge(partition: number, first: bigint, last: bigint): Promise<Verdict> {
    const gate = await this.gates.get(partition);
    if (!gate || gate.expected === undefined) return { kind: 'handle', from: 0n };
    const { expected } = gate;
    const isBehind = last < expected;
    if (!isBehind && first <= expected) return { kind: 'handle', from: expected };
    if (gate.soughtFor !== expected) {
      gate.soughtFor = expected;
      return { kind: 'seek', to: expected };
    }
    return isBehind ? { kind: 'reread' } : { kind: 'handle', from: expected };
  }

  /** The messages before `next` have been processed. A gate never goes back. */
  async advance(partition: number, next: bigint): Promise<void> {
    const gate = await this.gates.get(partition);
    if (gate && (gate.expected === undefined || next > gate.expected)) gate.expected = next;
  }

  /** The consumer handles no more batches. */
  end(): void {
    this.round++;
  }

  private async readUntilAnswered(partitions: number[], pause: Pause): Promise<Map<number, bigint>> {
    const round = ++this.round;
    for (let failures = 1; round === this.round; failures++) {
      try {
        return await this.store.read(this.topic, partitions);
      } catch (error) {
        await pause(error, failures);
      }
    }
    return new Map();
  }
}
