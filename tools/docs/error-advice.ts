/**
 * What to do about each error, by class. `samples` are constructor arguments for its row, or for one
 * row each where the arguments choose the token; `…` stands for parts that vary.
 */
export interface Advice {
  advice: string;
  samples?: unknown[][];
}

const nameOfField = '…';
const fields = [{ name: nameOfField, message: nameOfField }];

/** `libs/service`: any service may answer with these. */
export const everywhere: Record<string, Advice> = {
  ValidationFailed: { advice: 'Correct the fields that `fields` names', samples: [[fields]] },
  MalformedJson: { advice: 'Send a JSON body; the content type does not matter' },
  MalformedHttp: {
    advice: 'Use an HTTP client that conforms to RFC 9112. Always the error object, because the path is not yet known',
  },
  HeadTooLarge: {
    advice: 'Shorten the URL, for example by using fewer ids in a filter, or send fewer headers',
    samples: [[16_384]],
  },
  Unauthenticated: {
    advice:
      'Send `Authorization: Bearer <key>` with an active key. `invalid_token`: the request bypassed the gateway, `IDENTITY_PUBLIC_KEYS` lacks the key of the gateway, or clocks differ',
    samples: [[], ['The request did not come through the gateway: it has no valid identity token.', 'invalid_token']],
  },
  AccessDenied: { advice: 'Put the key into a group that has the permission, or use another key' },
  PageNotFound: { advice: 'Use the id of the last item of the previous page; it may have been deleted since' },
  NotFound: { advice: 'Check the path and the id; ids of other accounts are not found' },
  MethodNotAllowed: { advice: 'See the API pages (`/docs`) for the methods of the path' },
  RequestTooSlow: { advice: 'Send the request again on a new connection. Headers must arrive within 10 s' },
  Duplicate: { advice: 'Use the existing record, or choose another value', samples: [['…']] },
  EtagDiffers: { advice: 'Read the record again and repeat the change with its new `etag`, if it still applies' },
  BodyTooLarge: { advice: 'Split the request into smaller ones', samples: [[1_048_576]] },
  RateLimited: { advice: 'Wait for the time in `Retry-After`', samples: [['…']] },
  Unavailable: { advice: 'Try again after `Retry-After`. Operators: `/readyz` of the service names what is down' },
  QueryTimedOut: {
    advice:
      'Use narrower filters, a smaller group or saved query, and no `total_count`. Operators: check the load of PostgreSQL',
    samples: [[30]],
  },
  InternalError: { advice: 'This is a bug: find the `request_id` in the logs and report it' },
};

export const ofApps: Record<string, Record<string, Advice>> = {
  gateway: {
    KeyNotFound: { advice: 'List the keys of the account: `GET /v3/api-keys`' },
    GroupNotFound: { advice: 'List the groups: `GET /v3/policy-groups`' },
    ApplicationNotFound: { advice: 'List the applications: `GET /v3/applications`' },
    AccessKeyNotFound: { advice: 'List the access keys: `GET /v3/access-keys`' },
    NoSuchPath: { advice: 'See the API pages (`/docs`)' },
    OnlyYourself: { advice: 'Use `/v3/api-keys/me`, or a key of the Administrators group' },
    OnlyAdministratorsChangeGroups: { advice: 'Use a key of the Administrators group' },
    OnlyAdministratorsChangeExpirations: { advice: 'Use a key of the Administrators group' },
    GroupPermissionsFixed: { advice: 'Create a group with the permissions that you need', samples: [['…']] },
    OnlyInstallationAdministrators: {
      advice: 'Use `/v3/accounts/me`, or an administrator key of the installation’s own account',
    },
    AccountNotFound: { advice: 'List the accounts: `GET /v3/accounts`' },
    AccountLimitExceeded: {
      advice: 'Delete what is no longer used, or ask the operator of the installation for a higher quota',
      samples: [['…', '…']],
    },
    AccessKeyLimitExceeded: { advice: 'Delete the access key that is no longer used', samples: [['…']] },
    InstallationAccountStays: { advice: 'Suspend the accounts of the tenants instead' },
    ExpirationInThePast: { advice: 'Give a later time' },
    GroupProtected: { advice: 'Keep the group; remove its members to make it ineffective', samples: [['…']] },
    AccountSuspended: { advice: 'Ask the operator of the installation' },
    LastAdministrator: { advice: 'Create another administrator key, then repeat the request' },
    UnknownMembers: { advice: 'Leave out the ids that `fields` names', samples: [['apikeys', ['…']]] },
    AlreadyMember: { advice: 'Nothing: the key or application is already a member', samples: [[['…']]] },
    GroupNameTaken: { advice: 'Choose another name' },
    SecretInUrl: {
      advice: 'Reset the key, because it may be in logs; use its id, or the part before the secret',
      samples: [['…']],
    },
    OneSubject: { advice: 'Give exactly one of `async-id`, `device_id` and `uid`' },
    UrlTooLong: { advice: 'Shorten the URL, for example by using fewer ids in one query' },
    UpstreamUnavailable: {
      advice: 'Try again. Operators: check that the service is running and that `GATEWAY_…_URLS` names it',
      samples: [['…']],
    },
    BadGateway: { advice: 'Reconnect after a short delay' },
  },
  registry: {
    DeviceNotFound: { advice: 'List the devices: `GET /v3/devices`' },
    GroupNotFound: { advice: 'List the groups: `GET /v3/device-groups`' },
    QueryNotFound: { advice: 'List the queries: `GET /v3/device-queries`' },
    QueryNameTaken: { advice: 'Choose another name' },
    ImportNotFound: { advice: 'List the imports: `GET /v3/device-imports`' },
    ImportDeleted: { advice: 'Nothing, if you deleted it; otherwise upload the table again' },
    TooManyImports: {
      advice: 'Wait until the `status` of an import is `completed`; an aborted upload can be deleted',
      samples: [[10]],
    },
    MalformedImport: {
      advice: 'Correct the table as `fields` says and upload it again: no device was created',
      samples: [['…']],
    },
    FilterMissing: { advice: 'Give the query a filter: `state=registered`' },
    SelectionMissing: { advice: 'Select devices by `group_id`, `filter`, or both' },
    DeviceLimitExceeded: {
      advice: 'Delete devices, or ask the operator of the installation for a higher quota',
      samples: [['…']],
    },
    CategoryNotFound: { advice: 'List them: `GET /v3/device-block-categories`' },
    EndpointNameTaken: { advice: 'Find the other device: `GET /v3/devices?endpoint_name=…`' },
    GroupNameTaken: { advice: 'Choose another name' },
    DeviceSuspended: { advice: 'Resume the device, then repeat' },
    MemberIdMissing: { advice: 'Send `device_id`' },
    ProfileNotFound: { advice: 'List them: `GET /v3/bootstrap-profiles`' },
    ProfileNameTaken: { advice: 'Choose another name' },
    ProfileTargetTaken: { advice: 'Change the profile that it has: `GET /v3/bootstrap-profiles`' },
    TooManyProfiles: { advice: 'Delete a profile that is no longer used', samples: [[1_000]] },
    CredentialNotFound: { advice: 'List them: `GET /v3/devices/{id}/credentials`' },
    TrustedCertificateNotFound: { advice: 'List them: `GET /v3/trusted-certificates`' },
    CredentialTaken: {
      advice: 'Choose another identity, or delete the credential that has it',
      samples: [['identity'], ['certificate']],
    },
    TooManyCredentials: { advice: 'Delete a credential that is no longer used', samples: [[10]] },
    MalformedCertificate: { advice: 'Send the text of the `.pem` file, including line breaks' },
    NoAuthority: {
      advice: 'Send the certificate of the authority; use `/v3/devices/{id}/credentials` for that of a device',
    },
    SignatureInvalid: {
      advice: 'Sign the account id as shown in the API pages (`/docs`), without a trailing line break',
    },
    SignatureMissing: {
      advice: 'Send `signature` with the status, or omit the status: the certificate is then stored as INACTIVE',
    },
  },
  'device-proxy': {
    DeviceNotFound: { advice: 'Check the id; a new device is known here within a second' },
    NotRegistered: { advice: 'Wait for the `registrations` message of the device' },
    PathDoesNotExist: { advice: 'See which resources the device registered: `GET /v2/endpoints/{id}`' },
    NotSubscribed: { advice: 'Nothing, if you wanted to delete it; otherwise subscribe first' },
    NotCancellable: { advice: 'Wait for its result', samples: [['…']] },
    KeyHasNoSubscriptions: { advice: 'Nothing, if you wanted to delete them; otherwise check the id' },
    ModelNotFound: { advice: 'Check the id' },
    MalformedDefinition: {
      advice: 'Upload the DDF XML of one object, as the OMA registry publishes it',
      samples: [['…']],
    },
    CoreObject: { advice: 'Nothing: its definition is built in', samples: [['…']] },
    ModelExists: { advice: 'Delete the definition first', samples: [['…', '…']] },
    TooManyModels: { advice: 'Delete definitions that no device uses', samples: [['…']] },
    CommandNotFound: { advice: 'Check the async-id; results go to the channel of the key' },
    MalformedAsyncId: { advice: 'Send `async-id` in the query' },
    MalformedCommand: { advice: 'Correct the body or the parameter that the message names', samples: [['…', '…']] },
    MalformedPath: { advice: 'Correct the path', samples: [['…']] },
    PathNotRegistered: {
      advice: 'See which resources the device registered: `GET /v2/endpoints/{id}`',
      samples: [['…']],
    },
    MalformedRules: {
      advice: 'Correct the rules that `fields` names; the previous rules remain in force',
      samples: [[fields]],
    },
    MalformedIdempotencyKey: { advice: 'Send, for example, a UUID' },
    IdempotencyKeyReused: {
      advice: 'Choose a new Idempotency-Key for each request, and reuse it only when you repeat that request',
    },
    QueueIsFull: {
      advice: 'Wait for results, or give commands a shorter `expiry-seconds`. 400 for device requests, otherwise 429',
      samples: [[400], [429]],
    },
  },
  snapshot: {
    DeviceNotFound: { advice: 'Check the id; a new device is known here within a second' },
    SnapshotNotDeletable: { advice: 'Nothing: it is removed automatically' },
  },
  'event-log': {
    EventNotFound: { advice: 'Check the id' },
    EventCodeNotFound: { advice: 'Check the code' },
    PageNotFound: {
      advice:
        'Use the id of the last item of the previous page; entries older than `EVENT_LOG_RETENTION_DAYS` are deleted',
    },
    KeyRevoked: { advice: 'Use another key' },
    TooManyStreams: { advice: 'Close streams that are not used', samples: [[50]] },
  },
  dispatcher: {
    ChannelOfAnotherKind: {
      advice: 'Delete the other channel first, or use another key',
      samples: [['callback'], ['websocket'], ['pull']],
    },
    ChannelNotFound: { advice: 'Register a channel' },
    CallbackRefused: {
      advice:
        'Correct what the message names. Operators can allow private addresses with `DISPATCHER_CALLBACK_ALLOW_CIDRS`',
      samples: [
        ['CALLBACK_URL_INVALID', 'The URL, its scheme, its port or a user name in it is not allowed.', 'url'],
        ['CALLBACK_URL_FORBIDDEN', 'The URL must be publicly reachable: its address is not.', 'url'],
        ['CALLBACK_TOO_LONG', 'URL, header names and header values are too long together.', 'url'],
        ['CALLBACK_HEADERS_INVALID', 'Too many headers, or one that is malformed or set by the service.', 'headers'],
      ],
    },
    CallbackNotVerified: {
      advice: 'Answer the PUT with body `{}` with 200 or 204, then register again',
      samples: [['…']],
    },
    TooManyVerifications: {
      advice: 'Wait until the other verifications end, at most 20 s',
      samples: [['key'], ['account']],
    },
    VerifiersBusy: { advice: 'Try again after `Retry-After`' },
    SigningSecretsExceeded: { advice: 'Delete a secret that no receiver uses any more', samples: [[3]] },
    SigningSecretNotFound: { advice: 'List them: `GET /v2/notification/callback/signing-secrets`' },
    PollAlreadyOpen: { advice: 'Send one poll at a time: wait for the answer to the other one' },
    ChannelDeleted: { advice: 'Register a channel if you still need events' },
    MalformedUid: { advice: 'Copy the uid from a delivered event; channels with `include_uid` contain it' },
    EventNotFound: { advice: 'Topics keep events for 26 hours; older events cannot be explained' },
    TooManySearches: { advice: 'Try again after `Retry-After`' },
    UpgradeRequired: { advice: 'Use a WebSocket client, and a proxy that forwards `Upgrade`' },
  },
};

/** Outcomes of commands, by token. */
export const ofOutcomes: Record<string, string> = {
  REQUEST_EXPIRED: 'Send the command again; use a longer `expiry-seconds` for sleeping devices',
  REQUEST_CANCELLED: 'Nothing: you cancelled it',
  NOT_OFFERED: 'Send one command per path',
  DEVICE_BLOCKED: 'Resume the device, then send the command again',
  DEVICE_REMOVED_REGISTRATION: 'Stop sending commands to this device',
  NOT_CONNECTED: 'Send the command again once the device has registered',
  TIMEOUT:
    'Send the command again, unless the note says that the device may have executed it: then read the current state first',
  SUBSCRIPTION_REMOVED: 'Nothing, if you deleted it; otherwise subscribe again',
  NOT_OBSERVABLE: 'Poll the resource instead',
  BAD_REQUEST: 'Check payload, content type and path against the object definition',
  UNAUTHORIZED: 'The device denies access to this server: check its access control objects',
  BAD_OPTION: 'Leave out what the device does not support, for example the query',
  FORBIDDEN: 'The device denies access to this server: check its access control objects',
  RESOURCE_NOT_FOUND: 'See which resources the device registered: `GET /v2/endpoints/{id}`',
  METHOD_NOT_ALLOWED: 'The resource does not support the operation: see its object definition',
  NOT_ACCEPTABLE: 'Request another content type',
  REQUEST_ENTITY_INCOMPLETE: 'Send the command again',
  PRECONDITION_FAILED: 'Check the notification attributes',
  REQUEST_ENTITY_TOO_LARGE: 'Send a smaller payload',
  UNSUPPORTED_CONTENT_FORMAT: 'Send another content type',
  INTERNAL_SERVER_ERROR: 'The device failed: check its own log',
  NOT_IMPLEMENTED: 'The firmware does not support the operation',
  SERVICE_UNAVAILABLE: 'The device is busy: send the command again later',
};

/** Close codes of WebSockets, by cause. */
export const ofCloseCauses: Record<string, string> = {
  'channel deleted': 'Register a channel, then connect',
  'newer socket': 'Only one socket per key is allowed: find the other client, or give it its own key',
  'ping not answered': 'Answer pings within seconds (most libraries do), then reconnect',
  inactivity: 'Reconnect',
  'invalid key': 'Send an active key as bearer token or in `Sec-WebSocket-Protocol`',
  'key revoked': 'Use another key: this one was deleted, reset or deactivated',
  'no channel': 'Register a WebSocket channel (`PUT /v2/notification/websocket`), then connect',
  restart: 'Reconnect after a short delay: no events are lost',
};

/** Answers to devices, by CoAP code. */
export const ofDevices: Record<string, [when: string, todo: string]> = {
  '4.00': [
    'The registration or the payload cannot be read',
    'Fix the firmware; the diagnostic payload says what is wrong',
  ],
  4.02: ['The request has an unknown critical option', 'Omit the option'],
  4.03: [
    'The device is suspended, its credential belongs to another device, or it is unknown and the account does not create devices at first contact',
    'Resume it, use the endpoint name of its credential, or create it in the registry',
  ],
  4.04: ['The registration has ended, or the path does not exist', 'Register again'],
  4.05: ['The path does not support this method', 'POST for `/rd` and `/dp`; POST or DELETE for a registration'],
  4.08: ['A block of an upload is missing or arrived too late', 'Send the body again from its first block'],
  4.09: ['The registration names profiles (`pid`) instead of its objects', 'Register with the list of objects'],
  4.12: ['The LwM2M version of the device is not supported', 'Use LwM2M 1.0, 1.1 or 1.2'],
  4.13: ['The body is larger than 1 MiB', 'Send a smaller body; Size1 in the response is the limit'],
  4.15: ['A Send has an unsupported content format', 'Use SenML JSON, SenML CBOR or LwM2M CBOR'],
  '5.00': ['The service failed', 'Send the request again later. Operators: check the log'],
  5.03: [
    'Kafka, PostgreSQL or Redis is down, the service is starting, the account is new, or too many block-wise uploads are in progress',
    'Send the request again after Max-Age',
  ],
  5.05: ['The request has a proxy option', 'Send the request to the service itself'],
};
