import { Injectable } from '@nestjs/common';
import { UnauthenticatedRates } from '../limits/unauthenticated-rates.js';
import { Backoff } from './backoff.js';

/** Back-off key: client address and key id. */
const guessOf = (address: string, keyId = ''): string => `${address} ${keyId}`;

/** Slows down clients that guess keys, by address, and secrets of one key. */
@Injectable()
export class GuessLimiter {
  constructor(
    private readonly attempts: UnauthenticatedRates,
    private readonly backoff: Backoff,
  ) {}

  /** 0: may try now. */
  waitMs(address: string, keyId?: string): number {
    return Math.max(this.attempts.waitMs(address), this.backoff.waitMs(guessOf(address, keyId)));
  }

  /** `keyId`: of the presented key, if it had the form of one. */
  failed(address: string, keyId?: string): void {
    this.attempts.takeToken(address);
    if (keyId !== undefined) this.backoff.failed(guessOf(address, keyId));
  }
}
