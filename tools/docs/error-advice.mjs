/**
 * What to do about each error, by the class that makes it. `samples` are constructor arguments for its row, or for one
 * row each where the arguments choose the token; `…` stands for what a request fills in.
 * @typedef {{ advice: string, samples?: unknown[][] }} Advice
 */

const nameOfField = '…';
const fields = [{ name: nameOfField, message: nameOfField }];

/** `libs/service`: any service may answer these. @type {Record<string, Advice>} */
export const everywhere = {
  ValidationFailed: { advice: 'Mend the fields that `fields` names', samples: [[fields]] },
  MalformedJson: { advice: 'Send a JSON body; the content type does not matter' },
  MalformedHttp: {
    advice: 'Use an HTTP client. The answer comes before the path is known: the error object everywhere',
  },
  HeadTooLarge: {
    advice: 'Shorten the URL, for example with fewer ids in a filter, or send fewer headers',
    samples: [[16_384]],
  },
  Unauthenticated: {
    advice:
      'Send `Authorization: Bearer <key>` with an active key. `invalid_token`: somebody went past the gateway, `IDENTITY_PUBLIC_KEYS` lacks the key of the gateway, or clocks differ',
    samples: [[], ['Come through the gateway: no valid identity token.', 'invalid_token']],
  },
  AccessDenied: { advice: 'Put the key into a group that has the permission, or use another key' },
  PageNotFound: { advice: 'Page with the id of the last item that you got; it may be deleted by now' },
  NotFound: { advice: 'Check the path and the id; ids of other accounts do not exist for you' },
  MethodNotAllowed: { advice: 'See the API pages (`/docs`) for the methods of the path' },
  RequestTooSlow: { advice: 'Send it again: the connection is closed. Headers have 10 s' },
  Duplicate: { advice: 'Use what exists, or choose another value', samples: [['…']] },
  EtagDiffers: { advice: 'Read the record again and repeat the change with its `etag`, if it still holds' },
  BodyTooLarge: { advice: 'Send less in one call', samples: [[1_048_576]] },
  RateLimited: { advice: 'Wait for as long as `Retry-After` says', samples: [['…']] },
  Unavailable: { advice: 'Try again after `Retry-After`. Operators: `/readyz` of the service names the engine' },
  QueryTimedOut: {
    advice:
      'Ask for less: narrower filters, no `total_count`, a group or saved query that finds less. Operators: is PostgreSQL busy?',
    samples: [[30]],
  },
  InternalError: { advice: 'A bug: look for the `request_id` in the logs and report it' },
};

/** @type {Record<string, Record<string, Advice>>} */
export const ofApps = {
  gateway: {
    KeyNotFound: { advice: 'List the keys of the account: `GET /v3/api-keys`' },
    GroupNotFound: { advice: 'List the groups: `GET /v3/policy-groups`' },
    ApplicationNotFound: { advice: 'List the applications: `GET /v3/applications`' },
    AccessKeyNotFound: { advice: 'List the access keys: `GET /v3/access-keys`' },
    NoSuchPath: { advice: 'See the API pages (`/docs`)' },
    OnlyYourself: { advice: 'Use `/v3/api-keys/me`, or a key of the Administrators group' },
    OnlyAdministratorsChangeGroups: { advice: 'Use a key of the Administrators group' },
    OnlyAdministratorsChangeExpirations: { advice: 'Use a key of the Administrators group' },
    GroupPermissionsFixed: { advice: 'Create a group with the permissions you want', samples: [['…']] },
    OnlyInstallationAdministrators: {
      advice: 'Use `/v3/accounts/me`, or an administrator key of the installation’s own account',
    },
    AccountNotFound: { advice: 'List the accounts: `GET /v3/accounts`' },
    AccountLimitExceeded: {
      advice: 'Delete what is no longer used, or ask the operator of the installation for a larger quota',
      samples: [['…', '…']],
    },
    AccessKeyLimitExceeded: { advice: 'Delete the access key that is no longer used', samples: [['…']] },
    InstallationAccountStays: { advice: 'Suspend the accounts of the tenants instead' },
    ExpirationInThePast: { advice: 'Give a later time' },
    GroupProtected: { advice: 'Leave it; empty it when nobody should have it', samples: [['…']] },
    AccountSuspended: { advice: 'Ask the operator of the installation' },
    LastAdministrator: { advice: 'Make another administrator key, then repeat' },
    UnknownMembers: { advice: 'Leave out the ids that `fields` names', samples: [['apikeys', ['…']]] },
    AlreadyMember: { advice: 'Nothing: it is as you want it', samples: [[['…']]] },
    GroupNameTaken: { advice: 'Choose another name' },
    SecretInUrl: {
      advice: 'Reset the key, it may be in logs now; then use the id, or the part before the secret',
      samples: [['…']],
    },
    OneSubject: { advice: 'Give one of `async-id`, `device_id` and `uid`' },
    UrlTooLong: { advice: 'Shorten the URL, for example with fewer ids in one query' },
    UpstreamUnavailable: {
      advice: 'Try again. Operators: is the service up, and do the `GATEWAY_…_URLS` name it?',
      samples: [['…']],
    },
    BadGateway: { advice: 'Connect again after a short delay' },
  },
  registry: {
    DeviceNotFound: { advice: 'List the devices: `GET /v3/devices`' },
    GroupNotFound: { advice: 'List the groups: `GET /v3/device-groups`' },
    QueryNotFound: { advice: 'List the queries: `GET /v3/device-queries`' },
    QueryNameTaken: { advice: 'Choose another name' },
    ImportNotFound: { advice: 'List the imports: `GET /v3/device-imports`' },
    ImportDeleted: { advice: 'Nothing, when you deleted it; else upload the table again' },
    TooManyImports: {
      advice: 'Wait until `status` of an import is `completed`; an upload that broke off can be deleted',
      samples: [[10]],
    },
    MalformedImport: {
      advice: 'Mend the table as `fields` says, and send it again: nothing was taken',
      samples: [['…']],
    },
    FilterMissing: { advice: 'Give the query a filter: `state=registered`' },
    SelectionMissing: { advice: 'Say which devices: `group_id`, `filter`, or both' },
    DeviceLimitExceeded: {
      advice: 'Delete devices, or ask the operator of the installation for a larger quota',
      samples: [['…']],
    },
    CategoryNotFound: { advice: 'List them: `GET /v3/device-block-categories`' },
    EndpointNameTaken: { advice: 'Find the other device: `GET /v3/devices?endpoint_name=…`' },
    GroupNameTaken: { advice: 'Choose another name' },
    DeviceSuspended: { advice: 'Resume the device, then repeat' },
    MemberIdMissing: { advice: 'Send `device_id`' },
    CredentialNotFound: { advice: 'List them: `GET /v3/devices/{id}/credentials`' },
    TrustedCertificateNotFound: { advice: 'List them: `GET /v3/trusted-certificates`' },
    CredentialTaken: {
      advice: 'Choose another identity, or delete the credential that has it',
      samples: [['identity'], ['certificate']],
    },
    TooManyCredentials: { advice: 'Delete a credential that is no longer used', samples: [[10]] },
    MalformedCertificate: { advice: 'Send the text of the `.pem` file, line ends included' },
    NoAuthority: {
      advice: 'Send the certificate of the issuer; that of a device belongs to `/v3/devices/{id}/credentials`',
    },
    SignatureInvalid: {
      advice: 'Sign the account id as `/docs` of the registry shows; no line end may be signed with it',
    },
    SignatureMissing: {
      advice: 'Send `signature` with the status, or leave the status out: the certificate is then kept INACTIVE',
    },
  },
  'device-proxy': {
    DeviceNotFound: { advice: 'Check the id; a device that was made a moment ago takes a second to be known here' },
    NotRegistered: { advice: 'Wait for the `registrations` message of the device' },
    PathDoesNotExist: { advice: 'See what the device registered: `GET /v2/endpoints/{id}`' },
    NotSubscribed: { advice: 'Nothing, when you wanted it gone; else subscribe' },
    NotCancellable: { advice: 'Wait for its result', samples: [['…']] },
    KeyHasNoSubscriptions: { advice: 'Nothing, when you wanted them gone; else check the id' },
    ModelNotFound: { advice: 'Check the id' },
    MalformedDefinition: {
      advice: 'Upload the DDF XML of one object, as the OMA registry publishes it',
      samples: [['…']],
    },
    CoreObject: { advice: 'Nothing: it is known already', samples: [['…']] },
    ModelExists: { advice: 'Delete the definition first', samples: [['…']] },
    TooManyModels: { advice: 'Delete definitions that no device needs', samples: [['…']] },
    CommandNotFound: { advice: 'Check the async-id; results go to the channel of the key' },
    MalformedAsyncId: { advice: 'Send `async-id` in the query' },
    MalformedCommand: { advice: 'Mend the body or the parameter that the message names', samples: [['…', '…']] },
    MalformedPath: { advice: 'Mend the path', samples: [['…']] },
    PathNotRegistered: {
      advice: 'See what the device registered: `GET /v2/endpoints/{id}`',
      samples: [['…']],
    },
    MalformedRules: { advice: 'Mend the rules that `fields` names; the old rules still hold', samples: [[fields]] },
    MalformedIdempotencyKey: { advice: 'Send for example a UUID' },
    IdempotencyKeyReused: { advice: 'Choose a new Idempotency-Key for each request, and keep it for its repetitions' },
    QueueIsFull: {
      advice:
        'Wait for results, or give commands a shorter `expiry-seconds`. 400 for device requests, 429 for all else',
      samples: [[400], [429]],
    },
  },
  snapshot: {
    DeviceNotFound: { advice: 'Check the id; a device that was made a moment ago takes a second to be known here' },
    SnapshotNotDeletable: { advice: 'Nothing: it ends by itself' },
  },
  'event-log': {
    EventNotFound: { advice: 'Check the id' },
    EventCodeNotFound: { advice: 'Check the code' },
    PageNotFound: {
      advice: 'Page with the id of the last item you got; an entry past its life (`EVENT_LOG_RETENTION_DAYS`) is gone',
    },
    KeyRevoked: { advice: 'Get a new key' },
    TooManyStreams: { advice: 'Close streams that nobody reads', samples: [[50]] },
  },
  dispatcher: {
    ChannelOfAnotherKind: {
      advice: 'Delete the other channel first, or use another key',
      samples: [['callback'], ['websocket'], ['pull']],
    },
    ChannelNotFound: { advice: 'Register a channel' },
    CallbackRefused: {
      advice: 'Mend what the message names. Operators allow private addresses with `DISPATCHER_CALLBACK_ALLOW_CIDRS`',
      samples: [
        ['CALLBACK_URL_INVALID', 'The URL, its scheme, its port or a user name in it is not allowed.', 'url'],
        ['CALLBACK_URL_FORBIDDEN', 'The URL must be publicly reachable: its address is not.', 'url'],
        ['CALLBACK_TOO_LONG', 'URL, header names and header values are too long together.', 'url'],
        ['CALLBACK_HEADERS_INVALID', 'Too many headers, or one that is malformed or set by the service.', 'headers'],
      ],
    },
    CallbackNotVerified: {
      advice: 'Answer the PUT with body `{}` by 200 or 204, then register again',
      samples: [['…']],
    },
    TooManyVerifications: {
      advice: 'Wait for the answer of the other registrations, at most 20 s',
      samples: [['key'], ['account']],
    },
    VerifiersBusy: { advice: 'Try again after `Retry-After`' },
    SigningSecretsExceeded: { advice: 'Delete one that no receiver uses any more', samples: [[3]] },
    SigningSecretNotFound: { advice: 'List them: `GET /v2/notification/callback/signing-secrets`' },
    PollAlreadyOpen: { advice: 'One poll at a time: wait for the answer of the other' },
    ChannelDeleted: { advice: 'Register a channel when you still want events' },
    MalformedUid: { advice: 'Copy the uid from a delivered event; channels give it with `include_uid`' },
    EventNotFound: { advice: 'Facts are kept for 26 hours: nothing says more about an older event' },
    TooManySearches: { advice: 'Try again after `Retry-After`' },
    UpgradeRequired: { advice: 'Use a WebSocket client, and a proxy that forwards `Upgrade`' },
  },
};

/** Outcomes of commands, by word. @type {Record<string, string>} */
export const ofOutcomes = {
  REQUEST_EXPIRED: 'Send it again; a longer `expiry-seconds` for devices that sleep',
  REQUEST_CANCELLED: 'Nothing: you took it back',
  NOT_OFFERED: 'Use a command for each path',
  DEVICE_BLOCKED: 'Resume the device, then send it again',
  DEVICE_REMOVED_REGISTRATION: 'The device is gone: stop',
  NOT_CONNECTED: 'Send it again once the device has registered',
  TIMEOUT: 'Send it again, unless the note says that the device may have done it: then read what it is now',
  SUBSCRIPTION_REMOVED: 'Nothing, when you deleted it; else subscribe again',
  NOT_OBSERVABLE: 'Read the resource from time to time instead',
  BAD_REQUEST: 'Check payload, content type and path against the object of the device',
  UNAUTHORIZED: 'The device refuses this server: its access control objects',
  BAD_OPTION: 'Leave out what the device does not know, for example the query',
  FORBIDDEN: 'The device refuses this server: its access control objects',
  RESOURCE_NOT_FOUND: 'See what the device registered: `GET /v2/endpoints/{id}`',
  METHOD_NOT_ALLOWED: 'The resource cannot be read, written or executed: see its object',
  NOT_ACCEPTABLE: 'Ask for another content type',
  REQUEST_ENTITY_INCOMPLETE: 'Send it again',
  PRECONDITION_FAILED: 'Check the notification attributes',
  REQUEST_ENTITY_TOO_LARGE: 'Send less at once',
  UNSUPPORTED_CONTENT_FORMAT: 'Send another content type',
  INTERNAL_SERVER_ERROR: 'The device failed: see its own log',
  NOT_IMPLEMENTED: 'The firmware cannot do it',
  SERVICE_UNAVAILABLE: 'The device is busy: send it again later',
};

/** Close codes of WebSockets, by cause. @type {Record<string, string>} */
export const ofCloseCauses = {
  'channel deleted': 'Register a channel, then connect',
  'newer socket': 'One socket per key: find the other client, or give it a key of its own',
  'ping not answered': 'Answer pings within seconds (most libraries do), then connect again',
  inactivity: 'Connect again',
  'invalid key': 'Send an active key as bearer token or in `Sec-WebSocket-Protocol`',
  'key revoked': 'Use another key: this one was deleted, reset or switched off',
  'no channel': 'Register a WebSocket channel (`PUT /v2/notification/websocket`), then connect',
  restart: 'Connect again after a short delay: nothing is lost',
};

/** Answers to devices, by CoAP code. @type {Record<string, [when: string, todo: string]>} */
export const ofDevices = {
  '4.00': [
    'The registration or the payload cannot be read',
    'Mend the firmware; the diagnostic payload says what is wrong',
  ],
  4.02: ['A critical option is unknown', 'Leave out the option'],
  4.03: [
    'The device is suspended, unknown in an account that lets no unknown devices in, or not the one of its credential',
    'Resume it, create it in the registry, or use the endpoint name that its credential belongs to',
  ],
  4.04: ['The registration has ended, or there is no such path', 'Register again'],
  4.05: ['The path does not take this method', 'POST for `/rd` and `/dp`; POST or DELETE for a registration'],
  4.08: ['A block of an upload is missing, or came too late', 'Send the body again from its first block'],
  4.12: ['The LwM2M version of the device is not served', 'Use LwM2M 1.0, 1.1 or 1.2'],
  4.13: ['The body is larger than 1 MiB', 'Send less; Size1 in the answer is the bound'],
  4.15: ['A Send has a content format that is not served', 'Use SenML JSON, SenML CBOR or LwM2M CBOR'],
  '5.00': ['The service failed', 'Send it again later. Operators: see the log'],
  5.03: [
    'An engine is away, the service is starting, the account was made a moment ago, or too many bodies come in blocks',
    'Send it again after Max-Age',
  ],
  5.05: ['The request asks for a proxy', 'Ask the service itself'],
};
