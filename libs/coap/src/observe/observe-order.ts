import { OBSERVE_ORDER_WINDOW_MS } from '../timing/transmission-parameters.js';

/** The newest notification of an observation: its Observe number and when it arrived. */
export interface ObservePosition {
  number: number;
  atMs: number;
}

const HALF_RANGE = 2 ** 23;

/** Whether `next` is newer than `last` in the circle of 24-bit numbers, or too long after it to tell (RFC 7641 §3.4). */
export function isNewer(next: ObservePosition, last: ObservePosition | undefined): boolean {
  if (last === undefined || next.atMs > last.atMs + OBSERVE_ORDER_WINDOW_MS) return true;
  const distance = next.number - last.number;
  return distance > 0 ? distance < HALF_RANGE : -distance > HALF_RANGE;
}
