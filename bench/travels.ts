/** Numbers in transit: when each was sent, and how long those that arrived took. */
import { sleep } from '../tools/lanyard/project.ts';
import { percentile, round } from './statistics.ts';

export class Travels {
  left = new Map<number, number>();
  took: number[] = [];

  leave(number: number, atMs: number = performance.now()) {
    this.left.set(number, atMs);
  }

  arrive(number: number, atMs: number) {
    const leftAt = this.left.get(number);
    if (leftAt === undefined) return;
    this.took.push(atMs - leftAt);
    this.left.delete(number);
  }

  async allArrived(what: string) {
    await until(() => this.left.size === 0, `${what} (${this.left.size} are missing)`);
  }
}

/** Our times compared with the bare reference, in ms. */
export const besideBare = (ours: Travels, bare: Travels) => {
  const at = ({ took }: Travels, p: number) => round(percentile(took, p));
  return {
    p50_ms: at(ours, 0.5),
    p99_ms: at(ours, 0.99),
    max_ms: at(ours, 1),
    bare_p50_ms: at(bare, 0.5),
    bare_p99_ms: at(bare, 0.99),
    bare_max_ms: at(bare, 1),
    p50_ratio: round(at(ours, 0.5) / at(bare, 0.5)),
    p99_ratio: round(at(ours, 0.99) / at(bare, 0.99)),
    added_p50_ms: round(at(ours, 0.5) - at(bare, 0.5)),
    added_p99_ms: round(at(ours, 0.99) - at(bare, 0.99)),
  };
};

export const until = async (condition: () => boolean, what: string, timeoutMs = 60_000) => {
  const deadline = performance.now() + timeoutMs;
  while (!condition()) {
    if (performance.now() > deadline) throw new Error(`${what}: not within ${timeoutMs / 1_000} s`);
    await sleep(20);
  }
};

/**
 * Calls `act` `count` times, at an even rate.
 * @param earlyMs calls that are due within this time are made at once
 */
export const evenly = async (count: number, perSecond: number, act: (n: number) => unknown, earlyMs = 0) => {
  const startedAt = performance.now();
  for (let n = 0; n < count; n++) {
    const waitMs = startedAt + (n * 1_000) / perSecond - performance.now();
    if (waitMs > earlyMs) await sleep(waitMs);
    act(n);
  }
};
