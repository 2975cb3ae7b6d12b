import type { ConnectionEnd } from './connection.js';
import type { ErrorBody } from './generated/api.js';

/** The answer to a request, when it was an error. */
export interface ErrorAnswer {
  status: number;
  /** The error object, or the bare word of the v2 interface. */
  body: ErrorBody | string;
  requestId: string | undefined;
  retryAfterSeconds: number | undefined;
}

/** Anything that this package throws. */
export class LanyardError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
  }
}

/** The problem of each field, unless the message names it. */
const listed = ({ message: whole, fields = [] }: ErrorBody): string => {
  const unsaid = fields.filter(({ message }) => !whole.includes(message));
  return unsaid.length === 0 ? '' : ` ${unsaid.map(({ name, message }) => `${name}: ${message}`).join('; ')}`;
};

/** An error answer. Branch on the class, `status` or `code`, never on the text. */
export class RequestFailed extends LanyardError {
  readonly status: number;
  /** The message of the service, as sent. */
  readonly text: string;
  /** `type` of the error object, for example `not_found`, which the client requests below /v2 too. Otherwise the text. */
  readonly code: string;
  /** What is wrong with single fields of the request. */
  readonly fields: readonly { name: string; message: string }[];
  /** Names the request in the logs of the service: quote it. */
  readonly requestId: string | undefined;
  readonly retryAfterSeconds: number | undefined;

  constructor(operation: string, { status, body, requestId, retryAfterSeconds }: ErrorAnswer) {
    const text = typeof body === 'string' ? body : body.message + listed(body);
    super(`${operation}: ${status} ${text}${requestId === undefined ? '' : ` (request ${requestId})`}`);
    this.status = status;
    this.text = typeof body === 'string' ? body : body.message;
    this.code = typeof body === 'string' ? body : body.type;
    this.fields = typeof body === 'string' ? [] : (body.fields ?? []);
    this.requestId = requestId ?? (typeof body === 'string' ? undefined : body.request_id);
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** 400: `fields` says which fields are wrong. */
export class InvalidRequest extends RequestFailed {}
/** 401: no such key. */
export class InvalidKey extends RequestFailed {}
/** 403: the key may not do this. */
export class NotAllowed extends RequestFailed {}
/** 404: it does not exist, or belongs to another account. */
export class NotFound extends RequestFailed {}
/** 409: the value exists already, or is in use. */
export class Conflict extends RequestFailed {}
/** 412: the record has another version than If-Match names. */
export class VersionDiffers extends RequestFailed {}
/** 429: too fast, a queue is full, or a limit is reached. */
export class TooManyRequests extends RequestFailed {}
/** 5xx: the service cannot answer now. */
export class ServiceUnavailable extends RequestFailed {}

const classes: Record<number, typeof RequestFailed> = {
  400: InvalidRequest,
  401: InvalidKey,
  403: NotAllowed,
  404: NotFound,
  409: Conflict,
  412: VersionDiffers,
  429: TooManyRequests,
};

export const requestFailed = (operation: string, answer: ErrorAnswer): RequestFailed => {
  const known = classes[answer.status] ?? (answer.status >= 500 ? ServiceUnavailable : RequestFailed);
  return new known(operation, answer);
};

/** A value for the path of a request is empty, `.` or `..`, which would lead to another operation. Nothing was sent. */
export class InvalidPathValue extends LanyardError {}

/** There was no response: the address is wrong, the network failed, or time ran out. */
export class NoAnswer extends LanyardError {}

/** The device or the service ended a command with a status other than 2xx; `status` as in the asynchronous response. */
export class CommandFailed extends LanyardError {
  constructor(
    readonly asyncId: string,
    readonly status: number,
    /** For example NOT_CONNECTED or TIMEOUT. */
    readonly code: string | undefined,
  ) {
    super(`command ${asyncId} ended with ${status}${code === undefined ? '' : ` ${code}`}`);
  }
}

/** The command did not end within the given time: it continues, and the caller can wait for it again. */
export class CommandPending extends LanyardError {
  constructor(readonly asyncId: string) {
    super(`command ${asyncId} has not ended yet`);
  }
}

/** The channel cannot recover by itself: its key is no longer valid or permitted, or it was closed. See `cause`. */
export class ChannelEnded extends LanyardError {}

/** The stream of the log cannot recover by itself: its key is no longer valid, or may not read the log. */
export class TailEnded extends LanyardError {}

/** A connection of a channel ended, or could not be made. The channel reconnects by itself. */
export class ConnectionLost extends LanyardError {
  /** The close code; 1006 when the service said nothing. */
  readonly code: number;
  /** Why the service closed the connection; '' when it said nothing. */
  readonly reason: string;
  /** HTTP status of the answer, when it was not a WebSocket handshake. */
  readonly status: number | undefined;

  constructor({ code, reason, status, error }: Omit<ConnectionEnd, 'openMs'>) {
    const close = reason === '' ? `${code}` : `${code}, ${reason}`;
    super(status === undefined ? `connection lost (${close})` : `no WebSocket but ${status}`, { cause: error });
    this.code = code;
    this.reason = reason;
    this.status = status;
  }
}

/** A body is not from the service: its signature is missing, wrong or too old. */
export class InvalidSignature extends LanyardError {}
