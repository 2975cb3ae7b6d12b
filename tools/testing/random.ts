/** Pseudo-random numbers, equal for equal seeds, so that a failed run can be repeated. */
export class Random {
  seed: number;
  state: number;

  constructor(seed: number) {
    this.seed = seed;
    this.state = seed >>> 0;
  }

  /** From 0 to below 1 (mulberry32). */
  next(): number {
    this.state = (this.state + 0x6d2b79f5) >>> 0;
    let t = this.state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  }

  /** 0 to `max` - 1. */
  below(max: number): number {
    return Math.floor(this.next() * max);
  }

  /** A whole number from `least` to `most`, both included. */
  int(least: number, most: number): number {
    return least + this.below(most - least + 1);
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  pick<T>(list: readonly T[]): T {
    return list[this.below(list.length)] as T;
  }

  shuffled<T>(from: readonly T[]): T[] {
    const copy = [...from];
    for (let n = copy.length - 1; n > 0; n--) {
      const other = this.below(n + 1);
      [copy[n], copy[other]] = [copy[other] as T, copy[n] as T];
    }
    return copy;
  }

  bytes(length: number): Buffer {
    return Buffer.from(Array.from({ length }, () => this.below(256)));
  }

  /** Another sequence, which does not depend on how many numbers were drawn from this one. */
  fork(name: string): Random {
    let hash = this.state;
    for (const letter of name) hash = Math.imul(hash ^ letter.charCodeAt(0), 0x01000193);
    return new Random(hash);
  }
}
