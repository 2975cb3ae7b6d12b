import { CLOCK, type Clock } from '@lanyard/service';
import { Inject, Injectable } from '@nestjs/common';
import type { Readable } from 'node:stream';
import { SessionAuthenticator } from '../authentication/session-authenticator.js';

/** How long a response may continue after its session has ended. */
export const watchPeriodMs = 30_000;

/**
 * Ends responses that stay open, such as streams of events, with the session that they were requested with: the service
 * that sends them knows the key only, which may be valid for years.
 */
@Injectable()
export class SessionWatch {
  constructor(
    private readonly sessions: SessionAuthenticator,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  follow(token: string, body: Readable): void {
    const look = async (): Promise<void> => {
      // Without an answer it is looked at again: who could not open a stream now may still keep one.
      const isLive = await this.sessions.isLive(token).catch(() => true);
      if (!isLive) body.destroy();
    };
    const timer = this.clock.every(watchPeriodMs, () => void look());
    body.once('close', () => timer.cancel());
  }
}
