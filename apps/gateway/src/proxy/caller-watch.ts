import { CLOCK, type Clock } from '@lanyard/service';
import { Inject, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { Readable } from 'node:stream';
import { KeyAuthenticator } from '../authentication/key-authenticator.js';

/** How long a response may continue after its caller would be refused. */
export const watchPeriodMs = 30_000;

/**
 * Ends responses that stay open, such as streams of events, when their caller would not be let in any more: the service
 * that sends them knows neither the session nor the address of the client.
 */
@Injectable()
export class CallerWatch {
  constructor(
    private readonly authenticator: KeyAuthenticator,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** Checks the caller of the request every `watchPeriodMs` until the response with this body has ended. */
  follow(request: FastifyRequest, body: Readable): void {
    if (body.closed) return;
    const check = async (): Promise<void> => {
      // If a check fails, the next one decides: the caller keeps its open stream, but could not open another one now.
      const mayContinue = await this.authenticator.mayContinue(request).catch(() => true);
      if (!mayContinue) body.destroy();
    };
    const timer = this.clock.every(watchPeriodMs, () => void check());
    body.once('close', () => timer.cancel());
  }
}
