import {
  AccessDenied,
  Duplicate,
  FieldInvalid,
  type FieldProblem,
  fixed,
  NameTaken,
  NotFound,
  ServiceError,
  Unauthenticated,
  Unavailable,
  urlLengthMax,
  ValidationFailed,
} from '@lanyard/service';

export class KeyNotFound extends fixed(NotFound, 'No such API key in this account.') {}

export class GroupNotFound extends fixed(NotFound, 'No such key group in this account.') {}

export class ApplicationNotFound extends fixed(NotFound, 'No such application in this account.') {}

export class UserNotFound extends fixed(NotFound, 'No such user in this account.') {}

export class AccessKeyNotFound extends fixed(NotFound, 'No such access key.') {}

export class NoSuchPath extends fixed(NotFound, 'No such path.') {}

/** The cookie belongs to no session, or its session has ended. */
export class SessionEnded extends Unauthenticated {
  constructor() {
    super('The session has ended: sign in again.', 'invalid_session');
  }
}

export class OtherAddress extends fixed(
  AccessDenied,
  'The key may not be used from this address: see its source_addresses.',
) {}

/** The caller is limited to device groups, but the request concerns the whole account. */
export class ConcernsWholeAccount extends fixed(
  AccessDenied,
  'The operation concerns the whole account, but the key is limited to device groups: use one that is not.',
) {}

export class DeviceNotFound extends fixed(NotFound, 'No such device in this account.', 'DEVICE_NOT_FOUND') {}

export class SignInOff extends fixed(NotFound, 'Sign-in with OpenID Connect is not configured: use an API key.') {}

/** None of the roles of the person is one of GATEWAY_OIDC_ROLES, or they belong to several accounts. */
export class NoRole extends fixed(
  AccessDenied,
  'Your roles at the provider do not give access to this installation: ask an administrator of the provider.',
) {}

/** GATEWAY_OIDC_ROLES gives a role of the person a key group that does not exist. */
export class RoleIncomplete extends fixed(
  AccessDenied,
  'One of your roles gives a key group that does not exist: ask the operator of the installation.',
) {}

export class UserInactive extends fixed(
  AccessDenied,
  'This user is deactivated: ask an administrator of the account.',
) {}

/** The answer of the provider does not prove who signed in. */
export class SignInFailed extends Unauthenticated {
  constructor() {
    super('The sign-in could not be completed: start again.', 'sign_in_failed');
  }
}

/** An error of the device flow, in the words of RFC 8628 §3.5. */
export class DeviceGrantPending extends ServiceError {
  constructor(code: 'authorization_pending' | 'slow_down' | 'access_denied' | 'expired_token') {
    super({ status: 400, code, message: `The device code was not accepted: ${code} (RFC 8628).` });
  }
}

export class ProviderUnavailable extends Unavailable {
  constructor(cause?: unknown) {
    super('The OpenID provider does not answer: try again in a few seconds.', cause);
  }
}

/** Only pages of the gateway may use a session; other programs use a key. */
export class OtherOrigin extends fixed(
  AccessDenied,
  'The request comes from a page of another origin: a session may be used only by pages of this server.',
) {}

export class RequestedWithMissing extends fixed(
  AccessDenied,
  'With a session, a request that changes something needs the header X-Requested-With: lanyard.',
) {}

export class OnlyYourself extends fixed(
  AccessDenied,
  'The key may read and change only itself: use /v3/api-keys/me, or a key of the Administrators group.',
) {}

export class OnlyAdministratorsChangeGroups extends fixed(
  AccessDenied,
  'Only a key of the Administrators group may change the groups of a key.',
) {}

export class GroupProtected extends AccessDenied {
  constructor(name: string) {
    super(`The group ${name} cannot be deleted: every account has it.`);
  }
}

export class AccountSuspended extends fixed(
  AccessDenied,
  'The account is suspended: ask the operator of the installation.',
) {}

/** A key that could postpone its own expiration would never expire. */
export class OnlyAdministratorsChangeExpirations extends fixed(
  AccessDenied,
  'Only a key of the Administrators group may change when a key expires.',
) {}

/** If a built-in group could be limited, an administrator could not lift the limit again. */
export class GroupLimitFixed extends AccessDenied {
  constructor(name: string) {
    super(`The group ${name} cannot be limited to device groups: create a group of your own.`);
  }
}

export class OnlyAdministratorsChangeLimits extends fixed(
  AccessDenied,
  'Only a key of the Administrators group may change the device groups and the source addresses of a key.',
) {}

export class GroupPermissionsFixed extends AccessDenied {
  constructor(name: string) {
    super(`The permissions of the group ${name} are fixed: create a group of your own.`);
  }
}

export class OnlyInstallationAdministrators extends fixed(
  AccessDenied,
  'Only administrators of the installation may see other accounts, or change tier, status and limits, or keep more values than by default.',
) {}

export class AccountNotFound extends fixed(NotFound, 'No such account.') {}

class LimitExceeded extends ServiceError {
  constructor(message: string) {
    super({ status: 403, code: 'account_limit_exceeded', token: 'LIMITS_EXCEEDED', message });
  }
}

/** A quota of the account; the operator of the installation sets them. */
export class AccountLimitExceeded extends LimitExceeded {
  constructor(what: string, max: number) {
    super(`The account already has ${max} ${what}, its quota: delete some, or ask the operator to raise it.`);
  }
}

/** An application has at most one access key in use and one that replaces it. */
export class AccessKeyLimitExceeded extends LimitExceeded {
  constructor(max: number) {
    super(`The application already has ${max} access keys, the maximum: delete one that is no longer used.`);
  }
}

export class GroupLimitExceeded extends LimitExceeded {
  constructor(max: number) {
    super(`A key or an application may be in at most ${max} key groups: remove it from one that is no longer used.`);
  }
}

/** Suspending the account of the installation would lock out all administrators. */
export class InstallationAccountStays extends fixed(ServiceError, {
  status: 400,
  code: 'bad_request',
  token: 'BAD_REQUEST',
  message: 'The account of the installation cannot be suspended: its administrators manage all others.',
}) {}

export class ExpirationInThePast extends fixed(FieldInvalid, 'expiration', 'Must be in the future') {}

/** Without an administrator, no key could be created any more. */
export class LastAdministrator extends fixed(ServiceError, {
  status: 400,
  code: 'bad_request',
  token: 'BAD_REQUEST',
  message:
    'The account must keep one active key in the Administrators group that does not expire and has neither source addresses nor device groups: create another one first.',
}) {}

export class UnknownMembers extends ValidationFailed {
  constructor(name: string, ids: readonly string[]) {
    super(ids.map((id): FieldProblem => ({ name, message: `Not in this account: ${id}` })));
  }
}

export class AlreadyMember extends Duplicate {
  constructor(ids: readonly string[]) {
    super(`Already a member: ${ids.join(', ')}.`);
  }
}

export class GroupNameTaken extends fixed(NameTaken, 'A key group with this name exists.') {}

/** A key never belongs in a URL (spec §5 rule 2). */
export class SecretInUrl extends ValidationFailed {
  constructor(name: string) {
    super(
      [{ name, message: 'Must be the part of the key before the secret' }],
      'The URL contains a whole API key, which may now be in logs: reset the key.',
    );
  }
}

/** GET /v3/explain has exactly one subject. */
export class OneSubject extends ValidationFailed {
  constructor() {
    const message = 'Give exactly one of async-id, device_id and uid';
    super([{ name: 'query', message }], `${message}.`);
  }
}

export class UrlTooLong extends fixed(ValidationFailed, [], `The URL is longer than ${urlLengthMax} characters.`) {}

/** No replica of the service that owns the path answered. */
export class UpstreamUnavailable extends Unavailable {
  constructor(upstream: string, cause?: unknown) {
    super(`The service for this path (${upstream}) does not answer: try again in a few seconds.`, cause);
  }
}

export class BadGateway extends fixed(ServiceError, {
  status: 502,
  code: 'system_unavailable',
  token: 'BAD_GATEWAY',
  message: 'No dispatcher answers: reconnect in a few seconds.',
  retryAfterSeconds: 2,
}) {}
