import { OBSERVE_ORDER_WINDOW_MS } from '../timing/transmission-parameters.js';

/** The position of a notification in the order of its observation. */
export interface ObservePosition {
  /** The Observe number of the notification. */
  number: number;
  /** Fingerprint of the payload (`crc32`). */
  print: number;
  atMs: number;
}

/** The position of the newest durable notification, which another endpoint needs to continue in the same order. */
export interface NewestNotification {
  /** The Observe number of the notification. */
  number: number;
  /** Fingerprint of the payload (`crc32`). */
  print: number;
  /** Time since the notification arrived: the clocks of two processes have different origins. */
  ageMs: number;
}

const HALF_RANGE = 2 ** 23;

/**
 * Whether `next`, which arrived after `last`, is newer: in the circle of 24-bit numbers, or because it arrived so much
 * later that the numbers cannot be compared (RFC 7641 §3.4). Two different values should never have the same number
 * (§4.4), but devices on Californium reuse the number for a value that changes while the previous one is being sent.
 * Such a value counts as newer, because the last value would be lost otherwise.
 */
export function isNewer(next: ObservePosition, last: ObservePosition | undefined): boolean {
  if (last === undefined || next.atMs > last.atMs + OBSERVE_ORDER_WINDOW_MS) return true;
  const distance = next.number - last.number;
  if (distance === 0) return next.print !== last.print;
  return distance > 0 ? distance < HALF_RANGE : -distance > HALF_RANGE;
}
