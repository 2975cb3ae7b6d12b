/** Random choices that are the same on every machine (Mulberry32). */
export interface Seeded {
  /** 0 to `max` - 1. */
  below(max: number): number;
  chance(probability: number): boolean;
  pick<T>(list: readonly T[]): T;
  /** Fewer than `max` bytes. */
  bytes(max: number): Buffer;
  /** Fewer than `max` characters, with some outside ASCII and some that formats must escape. */
  text(max: number): string;
}

const characters = [...'abcXYZ019 _-./,;:=<>"\\\'{}[]\n\t', 'ä', '€', '𝄞'];

export const seeded = (seed: number): Seeded => {
  const next = (): number => {
    seed = (seed + 0x6d2b79f5) | 0;
    let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
  const below = (max: number): number => Math.floor(next() * max);
  const pick = <T>(list: readonly T[]): T => list[below(list.length)] as T;
  return {
    below,
    pick,
    chance: (probability) => next() < probability,
    bytes: (max) => Buffer.from(Array.from({ length: below(max) }, () => below(256))),
    text: (max) => Array.from({ length: below(max) }, () => pick(characters)).join(''),
  };
};

export const hex = (text: string): Buffer => Buffer.from(text.replaceAll(/\s/g, ''), 'hex');
