/**
 * Every benchmark: a name, a line for `npm run bench -- --help`, and what it does. A new one is a file and a line here.
 *
 * @typedef {Record<string, number>} Figures name to value; the name ends in the unit, ratios in `_ratio`
 * @typedef {{
 *   system: import('./system.mjs').System,
 *   seconds: number,
 *   rounds: number,
 *   say: (text: string) => void,
 * }} Context `seconds`: how long each round measures, where a benchmark goes by time
 * @typedef {{ about: string, run: (context: Context) => Promise<Figures> }} Bench
 */
import { latency } from './latency.mjs';
import { throughput } from './throughput.mjs';

/** @type {Record<string, Bench>} */
export const benches = { latency, throughput };
