import { Injectable } from '@nestjs/common';
import { AttemptRates } from '../limits/attempt-rates.js';
import { Backoff } from './backoff.js';

/** Back-off key: client address and key id. */
const guessOf = (address: string, keyId = ''): string => `${address} ${keyId}`;

/** Slows clients that guess: an address that sends requests without a valid key, and wrong secrets of one key. */
@Injectable()
export class GuessLimiter {
  constructor(
    private readonly attempts: AttemptRates,
    private readonly backoff: Backoff,
  ) {}

  /** 0: may try. */
  waitMs(address: string, keyId?: string): number {
    return Math.max(this.attempts.waitMs(address), this.backoff.waitMs(guessOf(address, keyId)));
  }

  /** `keyId`: of what was given, when it had the form of a key. */
  failed(address: string, keyId?: string): void {
    this.attempts.take(address);
    if (keyId !== undefined) this.backoff.failed(guessOf(address, keyId));
  }
}
