/** Numbers in transit: when each was sent, and how long those that arrived took. */
import { waitUntil } from '../tools/lanyard/probes.ts';
import { sleep } from '../tools/lanyard/project.ts';
import { percentile, round } from './statistics.ts';
import type { Context } from './benches.ts';

export class Travels {
  /** When each number in transit was sent. */
  departedAtMs = new Map<number, number>();
  tookMs: number[] = [];

  depart(number: number, atMs: number = performance.now()) {
    this.departedAtMs.set(number, atMs);
  }

  /** Counts only the first arrival of a number. */
  arrive(number: number, atMs: number) {
    const departedAtMs = this.departedAtMs.get(number);
    if (departedAtMs === undefined) return;
    this.tookMs.push(atMs - departedAtMs);
    this.departedAtMs.delete(number);
  }

  async allArrived(what: string) {
    const found = () => `${this.departedAtMs.size} are missing`;
    await until(() => this.departedAtMs.size === 0, what, { found });
  }
}

/** Percentiles of the measured times and of the bare reference, in ms, and how they compare. */
export const besideBare = (measured: Travels, bare: Travels) => {
  const at = ({ tookMs }: Travels, p: number) => round(percentile(tookMs, p));
  return {
    p50_ms: at(measured, 0.5),
    p99_ms: at(measured, 0.99),
    max_ms: at(measured, 1),
    bare_p50_ms: at(bare, 0.5),
    bare_p99_ms: at(bare, 0.99),
    bare_max_ms: at(bare, 1),
    p50_ratio: round(at(measured, 0.5) / at(bare, 0.5)),
    p99_ratio: round(at(measured, 0.99) / at(bare, 0.99)),
    added_p50_ms: round(at(measured, 0.5) - at(bare, 0.5)),
    added_p99_ms: round(at(measured, 0.99) - at(bare, 0.99)),
  };
};

/**
 * Measures each of `sides` in turn, for some rounds: its function sends the next number at an even rate, and all must arrive. Two
 * seconds before are a warm-up, in which connections are made and code is compiled.
 */
export const measureInTurn = async (
  { seconds, rounds, say }: Context,
  { perSecond, what }: { perSecond: number; what: string },
  sides: readonly (readonly [travels: Travels, send: () => unknown])[],
) => {
  const measure = async (forSeconds: number) => {
    for (const [travels, send] of sides) {
      await evenly(forSeconds * perSecond, perSecond, send);
      await travels.allArrived(what);
    }
  };
  await measure(2);
  for (const [travels] of sides) travels.tookMs.length = 0;
  for (let n = 0; n < rounds; n++) {
    say(`round ${n + 1} of ${rounds}`);
    await measure(seconds);
  }
};

/** Throws when the condition is not met in time; `found` says how far it came. */
export const until = (
  condition: () => boolean,
  what: string,
  { timeoutMs = 60_000, found }: { timeoutMs?: number; found?: () => string } = {},
) => waitUntil(what, async () => condition(), { timeoutMs, intervalMs: 20, hint: found });

/**
 * Calls `act` `count` times, at an even rate, and does not wait for its results.
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
