/** Numbers that repeat from run to run with the same seed (mulberry32). */
export class Random {
  private state: number;

  constructor(readonly seed: number) {
    this.state = seed >>> 0;
  }

  /** 0 up to, and without, 1. */
  next(): number {
    this.state = (this.state + 0x6d2b79f5) >>> 0;
    let t = this.state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  }

  below(n: number): number {
    return Math.floor(this.next() * n);
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  pick<T>(from: readonly T[]): T {
    return from[this.below(from.length)] as T;
  }

  shuffled<T>(from: readonly T[]): T[] {
    const copy = [...from];
    for (let n = copy.length - 1; n > 0; n--) {
      const other = this.below(n + 1);
      [copy[n], copy[other]] = [copy[other] as T, copy[n] as T];
    }
    return copy;
  }
}
