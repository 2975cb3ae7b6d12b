import { OBSERVE_ORDER_WINDOW_MS } from '../timing/transmission-parameters.js';

/** The position of a notification in the order of its observation. */
export interface ObservePosition {
  /** Its Observe number. */
  number: number;
  /** Of its payload (`crc32`). */
  print: number;
  atMs: number;
}

/** The position of the newest durable notification: what another endpoint needs to continue in the same order. */
export interface NewestNotification {
  /** Of the token of the observation, in hex. */
  tokenKey: string;
  /** Its Observe number. */
  number: number;
  /** Of its payload (`crc32`). */
  print: number;
  ageMs: number;
}

const HALF_RANGE = 2 ** 23;

/**
 * Whether `next`, which arrived after `last`, is newer in the circle of 24-bit numbers, or too long after it to tell
 * (RFC 7641 §3.4). Two different values should never have the same number (§4.4), but devices on Californium give it to
 * a value that changes while the one before is being sent: it is newer then, or the last value would be lost.
 */
export function isNewer(next: ObservePosition, last: ObservePosition | undefined): boolean {
  if (last === undefined || next.atMs > last.atMs + OBSERVE_ORDER_WINDOW_MS) return true;
  const distance = next.number - last.number;
  if (distance === 0) return next.print !== last.print;
  return distance > 0 ? distance < HALF_RANGE : -distance > HALF_RANGE;
}
