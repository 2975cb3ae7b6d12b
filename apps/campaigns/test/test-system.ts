import { afterAll, beforeAll, expect } from '@jest/globals';
import {
  type CampaignCommandIssued,
  CampaignsCommands,
  type DeviceCommandFinished,
  DeviceCommandResults,
  type DeviceEventReported,
  DeviceEvents,
  DeviceLifecycle,
  type DeviceLifecycleChanged,
  type DeviceSelectionAnswered,
  DeviceSelectionPages,
  type DeviceSelectionRequested,
  DeviceSelections,
  type DeviceSessionChanged,
  DeviceSessions,
  fixtures,
  type SelectedDevice,
} from '@lanyard/contracts';
import { BatchConsumer, KafkaConnection, KafkaProducer } from '@lanyard/kafka';
import {
  CLOCK,
  createLogger,
  identityHeader,
  newId,
  openTicket,
  type RunningService,
  signIdentity,
  startService,
  systemClock,
} from '@lanyard/service';
import {
  eagerClock,
  infrastructure,
  eventually,
  type Isolation,
  isolate,
  newIdentityKeys,
  withProviders,
} from '@lanyard/testing';
import type { Type } from '@nestjs/common';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DataSource } from 'typeorm';
import { definition } from '../src/app.module.js';
import { readConfig } from '../src/config.js';
import { DevicePresence } from '../src/progress/device-presence.js';
import { SelectionPages } from '../src/progress/selection-pages.js';
import type { DeliveredCommand, FirmwareDevice } from './firmware-device.js';

const identityKeys = newIdentityKeys();
const encryptionKey = Buffer.alloc(32, 1);
export const accountId = newId();

export interface Body {
  [member: string]: unknown;
  id: string;
  state: string;
  etag: string;
  data: Record<string, unknown>[];
  fields: { name: string }[];
  dry_run: { state: string } & Record<string, unknown>;
}

export interface Reply {
  status: number;
  headers: Headers;
  body: Body;
  bytes: Buffer;
}

interface CallOptions {
  account?: string;
  headers?: Record<string, string>;
  permissions?: string[];
  replica?: number;
  /** The caller is limited to them. */
  deviceGroups?: string[];
}

/** Two replicas of campaigns on isolated infrastructure. The test is the directory and the device-proxy. */
export const testSystem = (name: string, environment: NodeJS.ProcessEnv = {}) => {
  let isolation: Isolation;
  let services: RunningService[];
  let kafka: KafkaConnection;
  let producer: KafkaProducer;
  let folder: string;
  const consumers: { stop(): Promise<void> }[] = [];
  const events: DeviceEventReported[] = [];
  const selections: DeviceSelectionRequested[] = [];
  const commands: CampaignCommandIssued[] = [];
  const devices = new Map<string, FirmwareDevice>();

  const call = async (
    method: string,
    path: string,
    body?: unknown,
    { account = accountId, headers = {}, permissions = ['campaigns'], replica = 0, deviceGroups }: CallOptions = {},
  ): Promise<Reply> => {
    const caller = { accountId: account, keyId: newId(), groups: [], permissions, tier: 'commercial' as const };
    const identity = { ...caller, ...(deviceGroups && { deviceGroups }) };
    const token = signIdentity(identity, 'campaigns', identityKeys.privateKey, Date.now());
    const raw = Buffer.isBuffer(body) || body instanceof ReadableStream;
    const response = await fetch((services[replica] as RunningService).url + path, {
      method,
      headers: { 'x-request-id': 'r', ...headers, [identityHeader]: token },
      ...(body !== undefined && { body: raw ? (body as Buffer<ArrayBuffer>) : JSON.stringify(body), duplex: 'half' }),
    });
    const bytes = Buffer.from(await response.arrayBuffer());
    const isJson = response.headers.get('content-type')?.includes('json') && bytes.length > 0;
    const { status, headers: answered } = response;
    return { status, headers: answered, bytes, body: (isJson ? JSON.parse(bytes.toString()) : {}) as Body };
  };

  /** As the device-proxy sends it: with the ticket. */
  const opened = ({ sealedTicket, ...command }: CampaignCommandIssued): DeliveredCommand => ({
    ...command,
    ...(sealedTicket !== undefined && { ticket: openTicket(encryptionKey, command.deviceId, sealedTicket) }),
  });

  /** The device-proxy: carries out a command at the device, and sends the result. */
  const execute = async (command: CampaignCommandIssued): Promise<void> => {
    commands.push(command);
    const answer = command.action === 'cancel' ? 'nothing' : devices.get(command.deviceId)?.answer(opened(command));
    if (answer === undefined || answer === 'nothing') return;
    const { commandId, campaignId, deviceId, method = 'GET', path = '/' } = command;
    const isObject = method === 'GET' && (path === '/5/0' || path.startsWith('/9'));
    const result: DeviceCommandFinished = {
      item: {
        id: commandId,
        status: 'error' in answer ? 504 : 200,
        payload: 'text' in answer ? Buffer.from(answer.text).toString('base64') : '',
        ct: isObject ? 'application/senml+json' : 'text/plain',
        ...('error' in answer && { error: answer.error }),
      },
      ...{ commandId, campaignId, deviceId, accountId: command.accountId, keyId: campaignId, asyncId: commandId },
      ...{ kind: 'campaign', method, path, acceptedAt: command.issuedAt, finishedAt: new Date().toISOString() },
      outcome: 'error' in answer ? 'failed' : 'succeeded',
    };
    await producer.send(DeviceCommandResults, result);
  };

  const listen = async <V>(
    topic: ConstructorParameters<typeof BatchConsumer<V>>[1]['topic'],
    handle: (value: V) => Promise<void> | void,
  ): Promise<void> => {
    const consumer = new BatchConsumer<V>(kafka, {
      topic,
      group: 'test',
      onFatal: () => undefined,
      handler: async (batch) => {
        for (const { value } of batch.messages) await handle(value);
      },
    });
    await consumer.start();
    consumers.push(consumer);
  };

  beforeAll(async () => {
    isolation = await isolate(name);
    folder = await mkdtemp(join(tmpdir(), 'campaigns-'));
    const configOf = (replica: string) =>
      readConfig({
        KAFKA_BROKERS: infrastructure().brokers.join(','),
        KAFKA_TOPIC_PREFIX: isolation.topicPrefix,
        DATABASE_URL: isolation.databaseUrl,
        ...identityKeys.serviceEnv,
        ENCRYPTION_KEY: encryptionKey.toString('base64'),
        CAMPAIGNS_DATA_DIR: folder,
        CAMPAIGNS_PACKAGE_URIS: 'coap://lanyard.example:5683',
        CAMPAIGNS_POLL_MIN_MS: '100',
        LOG_LEVEL: 'error',
        REPLICA_ID: replica,
        ...environment,
      });
    const eager = withProviders([CLOCK, eagerClock(systemClock)]);
    services = await Promise.all(
      ['campaigns-0', 'campaigns-1'].map((replica) => startService(definition, configOf(replica), eager)),
    );
    const logger = createLogger({ app: 'test', replicaId: 'test', level: 'error' });
    const { topicPrefix } = isolation;
    kafka = new KafkaConnection({ brokers: infrastructure().brokers, topicPrefix, clientId: 'test', logger });
    producer = new KafkaProducer(kafka, { source: 'test' });
    await producer.connect();
    await listen(DeviceEvents, (event) => void events.push(event));
    await listen(DeviceSelections, (selection) => void selections.push(selection));
    await listen(CampaignsCommands, execute);
  });

  afterAll(async () => {
    for (const consumer of consumers) await consumer.stop();
    await producer?.disconnect();
    await kafka?.close();
    await Promise.all((services ?? []).map((service) => service.stop()));
    await isolation?.drop();
    if (folder) await rm(folder, { recursive: true });
  });

  /** What a replica is made of. */
  const part = <T>(type: Type<T>, replica = 0): T =>
    (services[replica] as RunningService).app.get(type, { strict: false });

  const upload = async (bytes: Buffer, version = '2', imageName = newId()): Promise<Body> => {
    const { status, body } = await call('POST', `/v3/firmware-images?name=${imageName}&version=${version}`, bytes);
    expect(status).toBe(201);
    return body;
  };

  const campaign = async (fields: object = {}): Promise<Body> => {
    const image = await upload(Buffer.from('firmware'));
    const body = { name: newId(), firmware_image_id: image.id, retries: 0, ...fields };
    const made = await call('POST', '/v3/update-campaigns', body);
    expect([made.status, made.body]).toEqual([201, made.body]);
    return made.body;
  };

  /** Answers the newest selection of a campaign, as the directory does. */
  const select = async (all: readonly SelectedDevice[], pageSize = 500): Promise<void> => {
    for (let page = 0; page * pageSize < Math.max(1, all.length); page++) {
      const seen = selections.length;
      const request = await eventually(() => {
        const found = selections.findLast((one) => one.page === page);
        expect(found).toBeDefined();
        return found as DeviceSelectionRequested;
      });
      const slice = all.slice(page * pageSize, (page + 1) * pageSize);
      const hasMore = (page + 1) * pageSize < all.length;
      const { selectionId } = request;
      const answer = { selectionId, accountId, page, devices: slice, hasMore, selectedAt: new Date().toISOString() };
      await producer.send(DeviceSelectionPages, answer);
      if (hasMore) await eventually(() => selections.length > seen);
    }
  };

  const register = (deviceId: string, more: Partial<DeviceSessionChanged> = {}): Promise<void> =>
    producer.send(DeviceSessions, {
      ...(fixtures(DeviceSessions).valid['registered'] as DeviceSessionChanged),
      ...{ accountId, deviceId, occurredAt: new Date().toISOString(), queueMode: false },
      ...more,
    });
  const lifecycleOf = (
    deviceId: string,
    change: DeviceLifecycleChanged['change'],
    revision = 9,
    lifecycleStatus: DeviceLifecycleChanged['lifecycleStatus'] = change === 'suspended' ? 'blocked' : 'enabled',
  ): DeviceLifecycleChanged => ({
    ...{ deviceId, accountId, change, endpointName: 'x', revision, changedAt: new Date().toISOString() },
    lifecycleStatus,
  });
  const state = async (id: string): Promise<string> => (await call('GET', `/v3/update-campaigns/${id}`)).body.state;

  return {
    call,
    upload,
    campaign,
    select,
    state,
    events: (): readonly DeviceEventReported[] => events,
    commands: (): readonly CampaignCommandIssued[] => commands,
    selections: (): readonly DeviceSelectionRequested[] => selections,
    /** How many devices were between their first and their last command at once; a command may be received twice. */
    mostAtOnce: (campaignId: string): number => {
      const isFirst = ({ commandId }: CampaignCommandIssued, n: number): boolean =>
        commands.findIndex((one) => one.commandId === commandId) === n;
      const own = commands.filter((one, n) => one.campaignId === campaignId && isFirst(one, n));
      const ids = own.map(({ deviceId }) => deviceId);
      const underWay = (n: number): string[] => ids.slice(0, n + 1).filter((id) => ids.lastIndexOf(id) >= n);
      return Math.max(...ids.map((_, n) => new Set(underWay(n)).size));
    },
    /** Stores one page of a selection as the consumer does. */
    takePage: (selectionId: string, more: Partial<DeviceSelectionAnswered>): Promise<void> =>
      part(SelectionPages).apply({
        ...{ selectionId, accountId, page: 0, devices: [], hasMore: false, selectedAt: new Date().toISOString() },
        ...more,
      }),
    part,
    /** Of the first replica. */
    database: (): DataSource => part(DataSource),
    connect: (device: FirmwareDevice): void => void devices.set(device.deviceId, device),
    register,
    tellLifecycle: (...change: Parameters<typeof lifecycleOf>): Promise<void> =>
      producer.send(DeviceLifecycle, lifecycleOf(...change)),
    /** Stores a change of a device as the consumer does. */
    takeLifecycle: (...change: Parameters<typeof lifecycleOf>): Promise<void> =>
      part(DevicePresence).applyLifecycle([lifecycleOf(...change)]),
    /** A device that came in queue mode ten minutes ago, once the campaigns know of it. */
    fallAsleep: async (deviceId: string, more: Partial<DeviceSessionChanged> = {}): Promise<void> => {
      await register(deviceId, { queueMode: true, occurredAt: new Date(Date.now() - 600_000).toISOString(), ...more });
      const known = 'SELECT 1 FROM campaigns.device_sessions WHERE device_id = $1 AND queue_mode';
      await eventually(async () => expect(await part(DataSource).query<unknown[]>(known, [deviceId])).toHaveLength(1));
    },
    devicesOf: async (id: string): Promise<Record<string, unknown>[]> =>
      (await call('GET', `/v3/update-campaigns/${id}/devices?limit=1000`)).body.data,
    eventually: (id: string, wanted: string): Promise<void> =>
      eventually(async () => expect(await state(id)).toBe(wanted)),
    folder: (): string => folder,
  };
};

export const registered = (deviceId: string): SelectedDevice => ({
  deviceId,
  endpointName: `ep-${deviceId.slice(-4)}`,
  lifecycleStatus: 'enabled',
  isRegistered: true,
});
