import {
  Duplicate,
  FieldInvalid,
  fixed,
  LimitExceeded,
  NameTaken,
  NotFound,
  ServiceError,
  ValidationFailed,
} from '@lanyard/service';

export class DeviceNotFound extends fixed(NotFound, 'No such device in this account.', 'DEVICE_NOT_FOUND') {}

export class GroupNotFound extends fixed(NotFound, 'No such device group in this account.') {}

export class CategoryNotFound extends fixed(NotFound, 'No such block category: see GET /v3/device-block-categories.') {}

export class EndpointNameTaken extends fixed(Duplicate, 'Another device of this account has this endpoint name.', [
  { name: 'endpoint_name', message: 'Already taken' },
]) {}

export class GroupNameTaken extends fixed(NameTaken, 'Another device group of this account has this name.') {}

export class CredentialNotFound extends fixed(NotFound, 'The device has no such credential.') {}

export class TrustedCertificateNotFound extends fixed(NotFound, 'The account trusts no such certificate.') {}

/** Also thrown if another account uses it: nothing else identifies a connecting device. */
export class CredentialTaken extends Duplicate {
  constructor(field: 'identity' | 'certificate' | 'public_key') {
    super(`This ${field.replace('_', ' ')} is already in use.`, [{ name: field, message: 'Already in use' }]);
  }
}

export class TooManyCredentials extends LimitExceeded {
  constructor(max: number, what: 'credentials of a device' | 'trusted certificates') {
    super(`At most ${max} ${what} are allowed: delete one that is no longer used.`);
  }
}

export class MalformedCertificate extends fixed(FieldInvalid, 'certificate', 'Must be an X.509 certificate in PEM') {}

export class MalformedPublicKey extends fixed(ValidationFailed, [
  { name: 'public_key', message: 'Must be the PEM of a public key on the curve P-256 (BEGIN PUBLIC KEY)' },
]) {}

export class NoAuthority extends fixed(ValidationFailed, [
  { name: 'certificate', message: 'Must be the certificate of an authority (CA:TRUE)' },
]) {}

/** A signature with such a key proves nothing: see authority-key.ts. */
export class AuthorityKeyUnsuitable extends fixed(
  FieldInvalid,
  'certificate',
  'Must have an EC key on a named curve, an RSA key with an exponent of at most 32 bits, an Ed25519 or an Ed448 key',
) {}

export class SignatureInvalid extends fixed(
  FieldInvalid,
  'signature',
  'Must be the account id, signed with the private key of the certificate, in base64',
) {}

export class SignatureMissing extends fixed(FieldInvalid, 'signature', 'Required for status ACTIVE') {}

/** Spec §3.1: a suspension blocks updates. Another key would not help, so it is no AccessDenied. */
export class DeviceSuspended extends fixed(ServiceError, {
  status: 403,
  code: 'device_suspended',
  token: 'DEVICE_BLOCKED',
  message: 'The device is suspended: resume it before you change it.',
}) {}

export class ProfileNotFound extends fixed(NotFound, 'No such bootstrap profile in this account.') {}

export class ProfileNameTaken extends fixed(NameTaken, 'Another bootstrap profile of this account has this name.') {}

export class ProfileTargetTaken extends fixed(Duplicate, 'This account, group or device already has a profile.', [
  { name: 'scope', message: 'Already has a profile: change the existing one' },
]) {}

/** Raw public keys are supported over DTLS only, not over TLS. */
export class RawPublicKeysNeedDtls extends fixed(ValidationFailed, [
  { name: 'credential_kind', message: 'Must be psk unless server_uri begins with coaps://' },
]) {}

export class TooManyProfiles extends LimitExceeded {
  constructor(max: number) {
    super(`At most ${max} bootstrap profiles are allowed: delete one that is no longer used.`);
  }
}

export class TooManyGroups extends LimitExceeded {
  constructor(max: number) {
    super(`The device is already in ${max} device groups: remove it from one that is no longer used.`);
  }
}

export class QueryNotFound extends fixed(NotFound, 'No such device query in this account.') {}

export class QueryNameTaken extends fixed(NameTaken, 'Another device query of this account has this name.') {}

export class ImportNotFound extends fixed(NotFound, 'No such device import in this account.') {}

export class ImportDeleted extends fixed(ServiceError, {
  status: 409,
  code: 'import_deleted',
  message: 'The import was deleted while its table was uploaded: upload the table again if that was not intended.',
}) {}

export class TooManyImports extends LimitExceeded {
  constructor(max: number) {
    super(`The account already has ${max} incomplete imports: wait until one completes, or delete one.`);
  }
}

/** The text is not a table of devices; nothing of it was stored. */
export class MalformedImport extends ValidationFailed {
  constructor(message: string) {
    super([{ name: 'body', message }]);
  }
}

export class SelectionMissing extends fixed(FieldInvalid, 'filter', 'Give a filter, a group_id, or both') {}

/** `&` is not empty, but contains no filter. */
export class FilterMissing extends fixed(FieldInvalid, 'query', 'Must contain a filter, such as state=registered') {}

/** A quota of the account; the operator of the installation sets them. */
export class DeviceLimitExceeded extends ServiceError {
  constructor(max: number) {
    const message = `The account already has ${max} devices, its quota: delete some, or ask the operator to raise it.`;
    super({ status: 403, code: 'account_limit_exceeded', message });
  }
}

export class MemberIdMissing extends fixed(FieldInvalid, 'device_id', 'Required: the id of one device') {}
