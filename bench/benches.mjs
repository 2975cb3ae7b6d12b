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
 * @typedef {import('../tools/lanyard/constellation.mjs').ConstellationOptions['replicas']} Replicas
 * @typedef {{ about: string, replicas?: Replicas, run: (context: Context) => Promise<Figures> }} Bench
 *   `replicas`: of each app; default: one
 */
import { catchUp } from './dispatch/catch-up.mjs';
import { store } from './dispatch/store.mjs';
import { transport } from './dispatch/transport.mjs';
import { latency } from './latency.mjs';
import { throughput } from './throughput.mjs';

/** @type {Record<string, Bench>} */
export const benches = {
  latency,
  throughput,
  'dispatch-catch-up': catchUp,
  'dispatch-store': store,
  'dispatch-transport': transport,
};
