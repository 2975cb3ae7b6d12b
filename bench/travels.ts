/** Numbers in transit: when each left, and how long those took that arrived. */
import { sleep } from '../tools/lanyard/project.ts';

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

export const until = async (condition: () => boolean, what: string, timeoutMs = 60_000) => {
  const deadline = performance.now() + timeoutMs;
  while (!condition()) {
    if (performance.now() > deadline) throw new Error(`${what}: not within ${timeoutMs / 1_000} s`);
    await sleep(20);
  }
};

/**
 * Acts so often, at an even rate.
 * @param earlyMs what is due that soon is done at once
 */
export const evenly = async (count: number, perSecond: number, act: (n: number) => unknown, earlyMs = 0) => {
  const startedAt = performance.now();
  for (let n = 0; n < count; n++) {
    const waitMs = startedAt + (n * 1_000) / perSecond - performance.now();
    if (waitMs > earlyMs) await sleep(waitMs);
    act(n);
  }
};
