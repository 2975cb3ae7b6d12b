import { NotFound, ServiceError, Unauthenticated } from '@lanyard/service';

export class EventNotFound extends NotFound {
  constructor() {
    super('No such device event in this account.');
  }
}

export class EventCodeNotFound extends NotFound {
  constructor() {
    super('No such code in the catalogue: see GET /v3/device-event-codes.');
  }
}

export class PageNotFound extends NotFound {
  constructor() {
    super('Unable to find page: no event has the id given in after.');
  }
}

/** Of a stream: the key was revoked while its call was under way. */
export class KeyRevoked extends Unauthenticated {
  constructor() {
    super('The API key is no longer valid.');
  }
}

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
