import { fixed, LimitExceeded, NotFound, ServiceError, Unavailable, ValidationFailed } from '@lanyard/service';
import type { ChannelKind } from './channel-kind.js';
import { verificationsOfAccountMax } from './limits.js';

const nameOf: Record<ChannelKind, string> = { callback: 'callback', websocket: 'WebSocket', pull: 'pull' };

/** One channel per key (spec §2.10): another kind must be deleted first. */
export class ChannelOfAnotherKind extends ServiceError {
  constructor(kind: ChannelKind) {
    super({
      status: 400,
      code: 'validation_error',
      token: `${kind.toUpperCase()}_CHANNEL_EXISTS`,
      message: `The key already has a ${nameOf[kind]} channel: delete it first (DELETE /v2/notification/${kind}).`,
    });
  }
}

export class ChannelNotFound extends NotFound {
  constructor(kind?: ChannelKind) {
    super(`The key has no ${kind ? `${nameOf[kind]} ` : ''}channel.`, 'CHANNEL_NOT_FOUND');
  }
}

export class CallbackRefused extends ServiceError {
  constructor(token: string, message: string, field: 'url' | 'headers') {
    super({ status: 400, code: 'validation_error', token, message, fields: [{ name: field, message }] });
  }
}

/** Spec §4.5 rule 1. Names the kind of failure but reveals nothing of the response. */
export class CallbackNotVerified extends ServiceError {
  constructor(why: string) {
    super({
      status: 400,
      code: 'validation_error',
      token: 'CALLBACK_NOT_VERIFIED',
      message: `The URL did not answer the verification PUT with 200 or 204: ${why}.`,
      fields: [{ name: 'url', message: why }],
    });
  }
}

/** Each verification holds a connection to an address of the customer's choice for up to 20 s. */
export class TooManyVerifications extends ServiceError {
  constructor(of: 'key' | 'account') {
    super({
      status: 429,
      code: 'rate_limit_exceeded',
      token: 'TOO_MANY_REQUESTS',
      message:
        of === 'key'
          ? 'A callback URL of this key is being verified: try again when the verification has ended.'
          : `${verificationsOfAccountMax} callback URLs of the account are being verified: try again in a few seconds.`,
      retryAfterSeconds: 1,
    });
  }
}

/** The limit of verifications of all accounts together is reached. */
export class VerifiersBusy extends fixed(
  Unavailable,
  'Too many callback URLs are being verified: try again in a few seconds.',
) {}

/** A rotation needs two secrets. */
export class SigningSecretsExceeded extends LimitExceeded {
  constructor(max: number) {
    super(
      `The callback already has ${max} signing secrets: delete one that is no longer used.`,
      'SIGNING_SECRETS_EXCEEDED',
    );
  }
}

export class SigningSecretNotFound extends fixed(
  NotFound,
  'The callback has no such signing secret.',
  'SIGNING_SECRET_NOT_FOUND',
) {}

export class PollAlreadyOpen extends fixed(ServiceError, {
  status: 409,
  code: 'duplicate',
  token: 'POLL_ALREADY_OPEN',
  message: 'Another poll of this key is open: wait for its answer.',
}) {}

/** The channel was deleted while a poll was waiting on it. */
export class ChannelDeleted extends fixed(ServiceError, {
  status: 410,
  code: 'not_found',
  token: 'CHANNEL_DELETED',
  message: 'The channel was deleted: register one if you still need events.',
}) {}

/** A plain GET on the path for WebSockets. */
export class UpgradeRequired extends fixed(ServiceError, {
  status: 426,
  code: 'bad_request',
  token: 'UPGRADE_REQUIRED',
  message: 'This path accepts only WebSocket handshakes.',
}) {}

/** The time in a uid bounds the search. */
export class MalformedUid extends fixed(ValidationFailed, [
  { name: 'uid', message: 'Must be the uid of an event, as delivered on a channel with include_uid' },
]) {}

export class EventNotFound extends fixed(
  NotFound,
  'The account has no event with this uid within the last 26 hours.',
) {}

/** The account itself can do something about it, in contrast to TooManySearches. */
export class SearchRunning extends fixed(ServiceError, {
  status: 429,
  code: 'rate_limit_exceeded',
  token: 'TOO_MANY_REQUESTS',
  message: 'Another search of the account is running: try again in a few seconds.',
  retryAfterSeconds: 5,
}) {}

/** A search reads part of a Kafka topic, so searches are limited in number and duration. */
export class TooManySearches extends fixed(
  Unavailable,
  'The search took too long, or too many searches are running: try again in a few seconds.',
) {}
