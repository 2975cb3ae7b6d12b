import { RateLimited } from '@lanyard/service';
import { Injectable } from '@nestjs/common';
import { UnauthenticatedRates } from '../limits/unauthenticated-rates.js';
import { Backoff } from './backoff.js';
import { clientNetworkOf } from './client-address.js';

/** Back-off key: the client and the key id. */
const guessOf = (client: string, keyId = ''): string => `${client} ${keyId}`;

/** Slows down clients that guess keys, by address (an IPv6 client by its /64), and secrets of one key. */
@Injectable()
export class GuessLimiter {
  constructor(
    private readonly attempts: UnauthenticatedRates,
    private readonly backoff: Backoff,
  ) {}

  /** Throws RateLimited while the client has to wait. */
  admit(address: string, keyId?: string): void {
    const client = clientNetworkOf(address);
    const waitMs = Math.max(this.attempts.waitMs(client), this.backoff.waitMs(guessOf(client, keyId)));
    if (waitMs > 0) throw new RateLimited(Math.ceil(waitMs / 1_000));
  }

  /** `keyId`: of the presented key, if it had the form of one. */
  failed(address: string, keyId?: string): void {
    const client = clientNetworkOf(address);
    this.attempts.takeToken(client);
    if (keyId !== undefined) this.backoff.failed(guessOf(client, keyId));
  }
}
