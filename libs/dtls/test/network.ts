import { type ManualClock } from './manual-clock.js';

export interface Conditions {
  /** Probabilities of a datagram. */
  loss: number;
  duplication: number;
  /** Of each copy, drawn between the two: unequal delays reorder. */
  delayMs: [min: number, max: number];
  seed: number;
}

export const PERFECT: Conditions = { loss: 0, duplication: 0, delayMs: [5, 5], seed: 1 };

/** The same numbers for the same seed (mulberry32). */
export const randomFrom = (seed: number) => () => {
  seed = (seed + 0x6d2b79f5) | 0;
  let mixed = Math.imul(seed ^ (seed >>> 15), 1 | seed);
  mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
  return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
};

export type Alteration = (datagram: Buffer) => Buffer;

interface InTransit {
  dueMs: number;
  deliver: () => void;
}

const STEP_MS = 5;

/** Carries datagrams in the time of a manual clock, and loses, repeats, delays and reorders them. */
export class Network {
  private transit: InTransit[] = [];
  private readonly random: () => number;
  /** Change what clients and the server send. */
  alterUp: Alteration = (datagram) => datagram;
  alterDown: Alteration = (datagram) => datagram;

  constructor(
    readonly clock: ManualClock,
    private readonly conditions: Conditions = PERFECT,
  ) {
    this.random = randomFrom(conditions.seed);
  }

  carry(datagram: Buffer, deliver: (datagram: Buffer) => void): void {
    const { loss, duplication, delayMs } = this.conditions;
    const copies = this.random() < loss ? 0 : this.random() < duplication ? 2 : 1;
    for (let copy = 0; copy < copies; copy += 1) {
      const dueMs = this.clock.nowMs() + delayMs[0] + this.random() * (delayMs[1] - delayMs[0]);
      const bytes = Buffer.from(datagram);
      this.transit.push({ dueMs, deliver: () => deliver(bytes) });
    }
  }

  /** Lets time pass: datagrams arrive, timers run, and promises settle. */
  async run(ms: number): Promise<void> {
    for (let passed = 0; passed < ms; passed += STEP_MS) {
      this.clock.advance(STEP_MS);
      const now = this.clock.nowMs();
      const due = this.transit.filter(({ dueMs }) => dueMs <= now).sort((a, b) => a.dueMs - b.dueMs);
      this.transit = this.transit.filter(({ dueMs }) => dueMs > now);
      for (const { deliver } of due) deliver();
      await new Promise(setImmediate);
    }
  }

  /** Until it holds, or this much time passed. @returns Whether it holds. */
  async runUntil(holds: () => boolean, ms = 300_000): Promise<boolean> {
    for (let passed = 0; passed < ms && !holds(); passed += STEP_MS) await this.run(STEP_MS);
    return holds();
  }
}
