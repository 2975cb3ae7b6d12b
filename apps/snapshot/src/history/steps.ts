import type { Decoded } from '../resources/decode.js';

export interface KeptValue {
  atMs: number;
  decoded: Decoded | undefined;
}

/** A summary of the values of one step. */
export interface Step {
  fromMs: number;
  count: number;
  /** `min`, `max` and `mean` are those of numbers, and of booleans as 0 and 1; absent if there are none. */
  min?: number;
  max?: number;
  mean?: number;
  last?: Decoded;
}

/** Lengths of steps that people read: 1, 2, 5 … seconds, minutes, hours, days. */
const lengths = [
  1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1_800, 3_600, 7_200, 10_800, 21_600, 43_200, 86_400, 172_800, 604_800,
  2_678_400,
];

/**
 * The shortest length with which the range has at most `points` steps. Steps begin at multiples of their length. undefined: with
 * each of the lengths, the range may touch more of them.
 */
export const stepSeconds = (fromMs: number, toMs: number, points: number): number | undefined => {
  const seconds = (toMs - fromMs) / 1_000;
  // A range that begins within a step touches one more.
  return lengths.find((length) => seconds / length + 1 <= points);
};

const numberOf = (decoded: Decoded | undefined): number | undefined => {
  if (typeof decoded === 'boolean') return decoded ? 1 : 0;
  return typeof decoded === 'number' && Number.isFinite(decoded) ? decoded : undefined;
};

export const stepOf = (fromMs: number, values: readonly KeptValue[]): Step => {
  const numbers = values.flatMap(({ decoded }) => numberOf(decoded) ?? []);
  const last = values.at(-1)?.decoded;
  return {
    fromMs,
    count: values.length,
    ...(numbers.length > 0 && {
      min: numbers.reduce((a, b) => Math.min(a, b)),
      max: numbers.reduce((a, b) => Math.max(a, b)),
      mean: meanOf(numbers),
    }),
    ...(last !== undefined && { last }),
  };
};

/** Without a sum, which could be too large for a number. */
const meanOf = (numbers: readonly number[]): number => numbers.reduce((mean, x, n) => mean + (x - mean) / (n + 1), 0);

/** `values`: oldest first. Steps without a value are left out. */
export const stepsOf = (values: readonly KeptValue[], seconds: number): Step[] => {
  const lengthMs = seconds * 1_000;
  const steps: Step[] = [];
  for (let first = 0; first < values.length;) {
    const fromMs = Math.floor((values[first] as KeptValue).atMs / lengthMs) * lengthMs;
    let end = first + 1;
    while (end < values.length && (values[end] as KeptValue).atMs < fromMs + lengthMs) end++;
    steps.push(stepOf(fromMs, values.slice(first, end)));
    first = end;
  }
  return steps;
};
