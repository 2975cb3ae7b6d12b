import { fixed, NotFound, ServiceError, Unauthenticated } from '@lanyard/service';

export class EventNotFound extends fixed(NotFound, 'No such device event in this account.') {}

export class EventCodeNotFound extends fixed(
  NotFound,
  'No such code in the catalogue: see GET /v3/device-event-codes.',
) {}

/** The key was revoked while its stream was open. */
export class KeyRevoked extends fixed(Unauthenticated, 'The API key is no longer valid: use another key.') {}

export class TooManyStreams extends ServiceError {
  constructor(max: number) {
    super({
      status: 429,
      code: 'rate_limit_exceeded',
      token: 'TOO_MANY_REQUESTS',
      message: `The account has ${max} open streams of device events: close one first.`,
      retryAfterSeconds: 5,
    });
  }
}
