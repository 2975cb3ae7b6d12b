import { fixed } from './fixed.js';

export interface FieldProblem {
  name: string;
  message: string;
}

export interface ErrorDescription {
  status: number;
  /** `type` of the error object, for example `not_found`. */
  code: string;
  /** For the client: what is wrong and what to do. Never contains a secret or an internal detail. */
  message: string;
  /** The bare token of the v2 interface, for example `DEVICE_NOT_FOUND`. */
  token?: string;
  fields?: FieldProblem[];
  retryAfterSeconds?: number;
  cause?: unknown;
}

/** An error that a client may see. Callers branch on class or code, never on text. */
export class ServiceError extends Error {
  readonly status: number;
  readonly code: string;
  readonly token: string;
  readonly fields: FieldProblem[];
  readonly retryAfterSeconds?: number;

  constructor(description: ErrorDescription) {
    super(description.message, { cause: description.cause });
    this.name = new.target.name;
    this.status = description.status;
    this.code = description.code;
    this.token = description.token ?? description.code.toUpperCase();
    this.fields = description.fields ?? [];
    this.retryAfterSeconds = description.retryAfterSeconds;
  }
}

export class ValidationFailed extends ServiceError {
  constructor(fields: FieldProblem[], message = 'The request is not valid: see fields.', token = 'BAD_REQUEST') {
    super({ status: 400, code: 'validation_error', message, fields, token });
  }
}

export class MalformedJson extends fixed(ServiceError, {
  status: 400,
  code: 'validation_error',
  token: 'MALFORMED_JSON_CONTENT',
  message: 'The body is not JSON.',
  fields: [{ name: 'body', message: 'Not JSON' }],
}) {}

export class MalformedHttp extends fixed(ServiceError, {
  status: 400,
  code: 'bad_request',
  message: 'The request is not valid HTTP/1.1 (RFC 9112).',
}) {}

/** 400 instead of 431: usually the URL is too long, which cannot be known once it spans several packets. */
export class HeadTooLarge extends ValidationFailed {
  constructor(maxBytes: number) {
    super([], `The URL and the headers are larger than ${maxBytes} bytes together.`);
  }
}

export class Unauthenticated extends ServiceError {
  constructor(message = 'Missing or invalid API key: send Authorization: Bearer <key>.', code = 'invalid_apikey') {
    super({ status: 401, code, token: 'UNAUTHORIZED', message });
  }
}

export class AccessDenied extends ServiceError {
  constructor(message = 'The key has no permission for this operation.') {
    super({ status: 403, code: 'access_denied', token: 'FORBIDDEN', message });
  }
}

export class NotFound extends ServiceError {
  constructor(message = 'Not found.', token = 'NOT_FOUND') {
    super({ status: 404, code: 'not_found', message, token });
  }
}

/** `after` is not an id. The id of a deleted item is still accepted. */
export class PageNotFound extends fixed(NotFound, 'Unable to find page: after is not an id.', 'PAGE_NOT_FOUND') {}

export class MethodNotAllowed extends ServiceError {
  constructor(message = 'The resource does not support this method.') {
    super({ status: 405, code: 'method_not_supported', token: 'METHOD_NOT_ALLOWED', message });
  }
}

export class RequestTooSlow extends fixed(ServiceError, {
  status: 408,
  code: 'request_timeout',
  message: 'The request did not arrive in time: send it again.',
}) {}

export class Duplicate extends ServiceError {
  constructor(message: string, fields: FieldProblem[] = []) {
    super({ status: 409, code: 'duplicate', token: 'DUPLICATE', message, fields });
  }
}

/** The record changed after the caller read it (RFC 9110 §13.1.1). */
export class EtagDiffers extends fixed(ServiceError, {
  status: 412,
  code: 'precondition_failed',
  message: 'The record has changed since you read it: read it again before you change it.',
}) {}

export class BodyTooLarge extends ServiceError {
  constructor(maxBytes: number) {
    super({
      status: 413,
      code: 'payload_too_large',
      token: 'PAYLOAD_TOO_LARGE',
      message: `The body is larger than ${maxBytes} bytes.`,
    });
  }
}

export class RateLimited extends ServiceError {
  constructor(retryAfterSeconds: number) {
    super({
      status: 429,
      code: 'rate_limit_exceeded',
      token: 'TOO_MANY_REQUESTS',
      message: `Too many requests: try again in ${retryAfterSeconds} s.`,
      retryAfterSeconds,
    });
  }
}

/** Longer than Kafka, PostgreSQL or Redis needs to restart. */
const unavailableSeconds = 5;

export class Unavailable extends ServiceError {
  constructor(message = 'A part of the system does not answer: try again in a few seconds.', cause?: unknown) {
    super({
      status: 503,
      code: 'system_unavailable',
      token: 'SERVICE_UNAVAILABLE',
      message,
      retryAfterSeconds: unavailableSeconds,
      cause,
    });
  }
}

/** A retry would time out as well: the query matches too much, or the database is overloaded. */
export class QueryTimedOut extends ServiceError {
  constructor(afterSeconds: number, cause?: unknown) {
    super({
      status: 504,
      code: 'query_timeout',
      message: `The database query timed out after ${afterSeconds} s: use narrower filters, leave out total_count, or try again later.`,
      cause,
    });
  }
}

export class InternalError extends ServiceError {
  constructor(cause?: unknown) {
    super({
      status: 500,
      code: 'internal_server_error',
      token: 'INTERNAL_SERVER_ERROR',
      message: 'Internal error: quote the request id.',
      cause,
    });
  }
}
