/** docs/limits.md: limits by what they apply to, from the constants of the code. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../lanyard/project.ts';
import { markdownTable } from '../lanyard/tables.ts';
import { built } from './errors-page.ts';

interface Constant {
  /** A file below `src` of the project, without its extension. */
  project: string;
  file: string;
  /** `expirySeconds`, or `defaultRetry.awake` for a member. */
  name: string;
}

interface Row {
  what: string;
  value: Constant | string;
  /** The setting, quota, field or parameter that changes it. */
  changedBy: string;
}

interface Kind {
  title: string;
  about?: string;
  rows: Row[];
}

const from =
  (project: string, file = 'limits') =>
  (name: string, what: string, changedBy = ''): Row => ({ what, value: { project, file, name }, changedBy });

const plain = (what: string, value: string, changedBy = ''): Row => ({ what, value, changedBy });

const applications = from('apps/gateway', 'access/applications.service');
const commands = from('apps/device-proxy', 'commands/limits');
const device = from('apps/device-proxy');
const sessions = from('apps/device-proxy', 'sessions/limits');
const downloads = from('apps/device-proxy', 'downloads/limits');
const bootstrap = from('apps/device-proxy', 'bootstrap/limits');
const gateways = from('apps/device-proxy', 'lwm2m-gateways/limits');
const rules = from('apps/device-proxy', 'presubscriptions/rule');
const interest = from('apps/device-proxy', 'interest/limits');
const channel = from('apps/dispatcher');
const campaign = from('apps/campaigns');
const snapshot = from('apps/snapshot');
const stream = from('apps/event-log', 'tail/limits');
const imports = from('apps/registry', 'imports/imports.service');
const http = from('libs/service', 'http/limits');
const coap = from('libs/coap', 'limits');
const streams = from('libs/coap', 'stream/limits');
const history = from('libs/contracts', 'access');

const kinds: Kind[] = [
  {
    title: 'Account',
    about:
      'Administrators of the installation set quotas with `limits` of `PUT /v3/accounts/{id}`. **The quotas `devices` and `api_keys` are unlimited by default, and an operator of many tenants should set them:** each key and each application may have a channel with up to {{queue}} of events in Redis, so that an account with an unlimited number of keys can fill the Redis that all accounts share. [capacity.md](capacity.md) shows how much memory the channels of an account need.',
    rows: [
      plain('Devices', 'unlimited', 'quota `devices`'),
      plain('API keys', 'unlimited', 'quota `api_keys`'),
      applications('applicationsMax.free', 'Applications of an account of the free tier', 'quota `applications`'),
      applications(
        'applicationsMax.commercial',
        'Applications of an account of the commercial tier',
        'quota `applications`',
      ),
      plain(
        'Requests per second of all keys together',
        'default of the setting',
        'quota `requests_per_second`, `GATEWAY_ACCOUNT_RATE_PER_SECOND`',
      ),
      from('apps/gateway', 'access/access-keys.service')(
        'accessKeysPerApplicationMax',
        'Access keys of an application',
      ),
      from('apps/gateway', 'access/record-schemas')('groupsPerPrincipalMax', 'Key groups of a key or an application'),
      from('apps/gateway', 'authentication/sessions')('sessionsPerPrincipalMax', 'Sessions of a key or a user'),
      from('apps/gateway', 'access/account-record')('customFieldsMax', 'Custom fields'),
      from('apps/registry', 'trusted-certificates/fields')('trustedPerAccountMax', 'Trusted certificates'),
      from('apps/registry', 'bootstrap/profile-fields')('profilesPerAccountMax', 'Bootstrap profiles'),
      from('apps/device-proxy', 'models/uploaded-models')('modelsPerAccountMax', 'Object definitions'),
      from('libs/lwm2m', 'models/ddf')('definitionLengthMax', 'Size of an object definition'),
      campaign('imagesPerAccountMax', 'Packages'),
      campaign('accountBytesMaxDefault', 'Size of all packages together', '`CAMPAIGNS_ACCOUNT_BYTES_MAX`'),
      campaign('openCampaignsMax', 'Update campaigns that have not ended'),
      imports('openImportsMax', 'Imports that are not completed'),
      stream('streamsPerAccountMax', 'Open streams of device events, per replica'),
      channel('verificationsOfAccountMax', 'Callback URLs that are verified at the same time, per replica'),
      history('valueHistoryDefault.hours', 'Value history of a resource: age', '`value_history` of the account'),
      history('valueHistoryDefault.values', 'Value history of a resource: values', '`value_history` of the account'),
      history('valueHistoryMax.hours', 'Value history of a resource: maximum age that can be set'),
      history('valueHistoryMax.values', 'Value history of a resource: maximum number of values that can be set'),
    ],
  },
  {
    title: 'Device',
    rows: [
      from('apps/registry', 'credentials/credential-fields')('credentialsPerDeviceMax', 'Credentials'),
      from('apps/registry', 'groups/groups.service')('groupsPerDeviceMax', 'Device groups'),
      commands('queueLengthMax', 'Commands that wait for the device'),
      commands('queueBytesMax', 'Size of the payloads of these commands'),
      device(
        'awakeWindowMs',
        'Time for which a device in queue mode listens after its last message',
        '`DEVICE_PROXY_QUEUE_MODE_AWAKE_MS`',
      ),
      device('expiryGraceMs', 'Time for which a registration outlives its lifetime', '`DEVICE_PROXY_EXPIRY_GRACE_MS`'),
      device('pushMaxMs', 'Duration of the push of a package', '`DEVICE_PROXY_PUSH_MAX_MS`'),
      from('libs/lwm2m', 'paths/link-format')('linkLimits.links', 'Objects and instances in a registration'),
      from('libs/lwm2m', 'paths/link-format')('linkLimits.bytes', 'Size of the list of objects in a registration'),
      from('libs/lwm2m', 'paths/link-format')('linkLimits.rootCharacters', 'Length of an alternate root'),
      from('libs/lwm2m', 'paths/link-format')('linkLimits.rootSegments', 'Segments of an alternate root'),
      coap('DEFAULT_LIMITS.bodyBytesMax', 'Size of a body to or from the device, except packages'),
      coap('DEFAULT_LIMITS.queuedPerPeerMax', 'CoAP requests that wait for one address'),
      sessions('notifiedPathsMax', 'Notified values that are cached for reads'),
      sessions('notifiedBytesMax', 'Size of a notified value that is cached'),
      sessions('notifiedMaxAgeMs', 'Age of a notified value that is cached'),
      snapshot('snapshotLifeMonths', 'Lifetime of the snapshot after the last connection'),
      snapshot('historyValueBytesMax', 'Size of a value in the value history'),
    ],
  },
  {
    title: 'Connections of devices',
    about: 'Per replica of device-proxy.',
    rows: [
      device('connectionsMaxDefault.dtls', 'DTLS connections', '`DEVICE_PROXY_COAP_DTLS_CONNECTIONS_MAX`'),
      device('connectionsMaxDefault.tls', 'TLS connections', '`DEVICE_PROXY_COAP_TLS_CONNECTIONS_MAX`'),
      coap('DEFAULT_LIMITS.uploadsBytesMax', 'Size of all block-wise uploads that are in progress'),
      coap('DEFAULT_LIMITS.uploadsBytesPerAddressMax', '… of one address, or of one device over DTLS'),
      streams(
        'DEFAULT_STREAM_LIMITS.incompleteBytesMax',
        'Size of all messages over TCP and TLS of which a part has arrived',
      ),
      streams('DEFAULT_STREAM_LIMITS.waitingBytesMax', 'Size of all that waits to be sent over TCP and TLS'),
      coap('DEFAULT_LIMITS.notificationsInFlightMax', 'Notifications that are processed at the same time'),
      downloads('fetchesAtOnce', 'Requests for parts of packages at the same time'),
      downloads('fetchesWaitingMax', 'Requests for parts of packages that wait'),
      downloads('fetchesOfAccountMax', 'Requests for parts of packages that run or wait, of one account'),
    ],
  },
  {
    title: 'Command',
    rows: [
      commands('expirySeconds', 'Time for which a command may wait, range of `expiry-seconds`'),
      commands('defaultExpirySeconds.awake', 'Default for devices that are always reachable', '`expiry-seconds`'),
      commands('defaultExpirySeconds.queueMode', 'Default for devices in queue mode', '`expiry-seconds`'),
      commands('retryMax', 'Further attempts, maximum of `retry`'),
      commands('defaultRetry.awake', 'Further attempts, default for devices that are always reachable', '`retry`'),
      commands('defaultRetry.queueMode', 'Further attempts, default for devices in queue mode', '`retry`'),
      commands('waitSeconds', 'Time for which a request may wait for the result, range of `wait`'),
      commands('waitingCallersMax', 'Requests that wait for results, per replica'),
      commands('waitingCallersOfAccountMax', 'Requests that wait for results, of one account, per replica'),
      commands('observedTogetherMax', 'Paths that one command observes together'),
      commands('idempotencyHours', 'Time for which an Idempotency-Key is remembered'),
      commands('idempotencyKeyLengthMax', 'Length of an Idempotency-Key'),
      commands('historyDays', 'Time for which the record of a finished command is kept'),
    ],
  },
  {
    title: 'Subscription',
    rows: [
      interest(
        'subscribedPathsMax',
        'Paths of a device to which applications are subscribed, counted for each set of attributes and each composite',
      ),
      rules('rulesMax', 'Presubscription rules of a key'),
      rules('rulePathsMax', 'Different resource paths in these rules'),
    ],
  },
  {
    title: 'Channel',
    rows: [
      channel('queueBytesMax', 'Size of the queued events; beyond it, the oldest ones are dropped'),
      channel('eventOverheadBytes', 'Size that is counted for each queued event in addition to its bytes'),
      channel('eventLifeMs', 'Age of a queued event'),
      channel('idleMaxMs', 'Time without events after which a channel is removed'),
      channel('failedDeliveryMaxMs', 'Time without a successful delivery after which a callback is removed'),
      channel('stoppedMaxMs', 'Time after which a stopped callback is removed'),
      channel('socketIdleMaxMs', 'Time after which an idle WebSocket is closed'),
      channel('withoutSocketMaxMs', 'Time without a WebSocket after which its channel is removed'),
      channel('withoutPollMaxMs', 'Time without a poll after which a pull channel is removed'),
      channel('batchEventsDefault', 'Events in a message, default', '`max_chunk_size` of the channel'),
      channel('batchEventsMax', 'Events in a message, maximum of `max_chunk_size`'),
      channel('bodyBytesMax', 'Size of a message, unless it has a single event'),
      channel('socketMessageBytesMax', '… on a WebSocket'),
      channel('callbackTimeoutMs', 'Duration of a callback request'),
      channel('callbackCharactersMax', 'Length of the URL and the headers of a callback together'),
      channel('callbackHeadersMax', 'Headers of a callback'),
      channel('signingSecretsMax', 'Signing secrets of a callback'),
      channel('freeTierRetries', 'Further attempts of a delivery in accounts of the free tier'),
      channel('pingPeriodMs', 'Interval between the pings on a WebSocket'),
      channel('pingTimeoutMs', 'Time for the answer to a ping, in addition to that for what was sent before it'),
      channel('pollWaitMs', 'Duration of a long poll without events'),
      channel('changesWaitingMax', 'Requests of a key that wait for another change of its channel'),
    ],
  },
  {
    title: 'Request',
    about:
      'Rates of requests and the number of connections of the gateway are settings: see [configuration.md](configuration.md).',
    rows: [
      http('bodyLimitBytes', 'Size of the body, except uploads'),
      http('jsonValuesMax', 'Values in a JSON body'),
      http('urlLengthMax', 'Length of the URL'),
      http('headBytesMax', 'Size of the request line and the headers together'),
      from('libs/service', 'list/list-query')('listLimit', 'Items on a page', '`limit`'),
      from('libs/service', 'list/page-bytes')('pageBytesMax', 'Size of the items on a page, if they are large'),
      from('apps/gateway', 'proxy/unread-responses')(
        'unreadBytesMax',
        'Unread answers of an account, per gateway replica',
      ),
      from('libs/service', 'database/open-database')('statementMaxMs', 'Duration of a database query'),
      from('apps/registry', 'suspension/bulk-suspension.service')(
        'devicesPerCallMax',
        'Devices that one call suspends or resumes',
      ),
      from('apps/device-proxy', 'endpoints/endpoints')('endpointsMax', 'Devices in the answer of `GET /v2/endpoints`'),
      snapshot('historyPoints', 'Values in the answer of the value history', '`points`'),
      from('apps/snapshot', 'statistics/counts')('statisticsStepsMax', 'Steps in the answer of the statistics'),
    ],
  },
  {
    title: 'Event log',
    rows: [
      from('apps/event-log')('retentionDaysDefault', 'Time for which entries are kept', '`EVENT_LOG_RETENTION_DAYS`'),
      stream('readPeriodMs', 'Minimum interval between two reads of a stream'),
      stream('slowClientMs', 'Time after which a stream whose client reads nothing is closed'),
    ],
  },
  {
    title: 'Campaign',
    rows: [
      campaign('imageBytesMax', 'Size of a package'),
      from('libs/service', 'http/body-timeout')('bodyTimeoutMs', 'Pause after which an upload of a package is refused'),
      campaign('campaignDevicesMax', 'Devices of a campaign'),
      campaign('concurrencyMax', 'Devices that are updated at the same time, maximum of `concurrency`'),
      campaign('campaignDaysMax', 'Duration'),
      campaign('retentionDaysDefault', 'Time for which an ended campaign is kept', '`CAMPAIGNS_RETENTION_DAYS`'),
    ],
  },
  {
    title: 'Import',
    rows: [
      imports('importRowsMax', 'Rows'),
      imports('tableRowsMax', 'Rows, including the header and empty ones'),
      imports('importBytesMax', 'Size of the table'),
      from('apps/registry', 'imports/import-retention')(
        'completedImportDays',
        'Time for which a completed import is kept',
      ),
    ],
  },
  {
    title: 'Bootstrap',
    rows: [
      bootstrap('bootstrapMaxMs', 'Duration'),
      bootstrap('bootstrapsMax', 'Bootstraps in progress, per replica'),
      bootstrap('bootstrapsPerAccountMax', 'Bootstraps in progress of one account, per replica'),
      bootstrap('credentialWithinMs', 'Time for the creation of the credential'),
      from('apps/registry', 'bootstrap/limits')(
        'bootstrapExpiryMs',
        'Time after which a bootstrap without an end fails, in addition to the initial registration delay',
      ),
    ],
  },
  {
    title: 'LwM2M gateway',
    rows: [
      gateways('devicesBehindMax', 'End devices behind an LwM2M gateway'),
      gateways('admittedAtOnce', 'End devices that are admitted at the same time'),
    ],
  },
];

const unit =
  /(Ms|[Ss]econds|[Hh]ours|[Dd]ays|[Mm]onths|[Bb]ytes|Characters|(?<=Key|definition|url)Length)(?:PerAddress)?(?:Max|Min)?(?:Default)?$/;

const number = (value: number): string => value.toLocaleString('en');

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

const duration = (ms: number): string => {
  if (ms % day === 0 && ms >= 3 * day) return `${number(ms / day)} days`;
  if (ms % hour === 0 && ms >= hour) return `${number(ms / hour)} h`;
  if (ms % minute === 0 && ms > minute) return `${number(ms / minute)} min`;
  return ms % second === 0 ? `${number(ms / second)} s` : `${number(ms)} ms`;
};

const size = (bytes: number): string => {
  const units = [
    ['GiB', 2 ** 30],
    ['MiB', 2 ** 20],
    ['MB', 1e6],
    ['KiB', 2 ** 10],
  ] as const;
  const [name, factor] = units.find(([, each]) => bytes % each === 0) ?? (['bytes', 1] as const);
  return `${number(bytes / factor)} ${name}`;
};

const formats: Record<string, (value: number) => string> = {
  ms: duration,
  seconds: (value) => duration(value * second),
  hours: (value) => duration(value * hour),
  days: (value) => `${number(value)} days`,
  months: (value) => `${number(value)} months`,
  bytes: size,
  characters: (value) => `${number(value)} characters`,
  length: (value) => `${number(value)} characters`,
};

/** The value with the unit at the end of the constant's name. */
const formatted = (name: string, value: unknown): string => {
  const units = name
    .split('.')
    .reverse()
    .flatMap((word) => unit.exec(word)?.[1]?.toLowerCase() ?? []);
  const format = formats[units[0] ?? ''] ?? number;
  if (typeof value === 'number') return format(value);
  const { min, max, default: usual } = value as { min: number; max: number; default?: number };
  return `${format(min)} to ${format(max)}${usual === undefined ? '' : `, default ${format(usual)}`}`;
};

/** The comment of a constant, which constants directly before it may share. */
const commentOf = (source: string, name: string): string => {
  const at = source.search(new RegExp(`^(?:export )?const ${name}\\b`, 'm'));
  const before = source.slice(0, at).replace(/(?:export const [^\n]*\n)+$/, '');
  return /\/\*\*((?:(?!\*\/)[^])*)\*\/\n$/.exec(before)?.[1] ?? '';
};

const reference = /(?:spec|RFC \d+|LwM2M [\d.]+ core) §[\d.]*\d(?: rule \d+)?(?: and §[\d.]*\d)?/i;

const valueOf = async ({ project, file, name }: Constant): Promise<unknown> => {
  const module = await built(`${project}/dist/${file}.js`);
  const value = name.split('.').reduce((of: any, member) => of?.[member], module);
  if (value === undefined) throw new Error(`${project}/src/${file}.ts exports no ${name}`);
  return value;
};

const cellsOf = async ({ what, value, changedBy }: Row): Promise<string[]> => {
  if (typeof value === 'string') return [what, value, changedBy, ''];
  const source = readFileSync(join(root, `${value.project}/src/${value.file}.ts`), 'utf8');
  const [section = ''] = reference.exec(commentOf(source, value.name.split('.')[0] ?? '')) ?? [];
  return [what, formatted(value.name, await valueOf(value)), changedBy, section.replace(/^Spec/, 'spec')];
};

const tableOf = async ({ title, about, rows }: Kind): Promise<string> => {
  const cells = await Promise.all(rows.map(cellsOf));
  const table = markdownTable(['Limit', 'Value', 'Changed by', 'Source'], cells);
  return [`## ${title}`, ...(about === undefined ? [] : [about]), table].join('\n\n');
};

export const limitsPage = async () => {
  const queue = await valueOf({ project: 'apps/dispatcher', file: 'limits', name: 'queueBytesMax' });
  const tables = await Promise.all(kinds.map(tableOf));
  return [
    '# Limits',
    'Generated from constants in the code by `npm run docs`; CI checks it.',
    'A limit with nothing in the column _Changed by_ is fixed. _Source_ is the section of the [specification](spec.md) or of the standard that sets it. Variables are described in [configuration.md](configuration.md), errors in [errors.md](errors.md).',
    ...tables,
    '',
  ]
    .join('\n\n')
    .replace('{{queue}}', size(queue as number));
};
