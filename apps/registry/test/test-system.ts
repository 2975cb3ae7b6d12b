import { X509Certificate } from 'node:crypto';
import { afterAll, beforeAll, expect } from '@jest/globals';
import {
  type AccessAccountChanged,
  AccessAccounts,
  type BootstrapProfileChanged,
  BootstrapProfiles,
  deadLetterTopic,
  type DeviceBootstrapChanged,
  DeviceBootstraps,
  type DeviceContacted,
  DeviceContacts,
  type DeviceCredentialChanged,
  DeviceCredentials,
  type DeviceEventReported,
  DeviceEvents,
  DeviceGroups,
  type DeviceGroupsChanged,
  DeviceLifecycle,
  type DeviceLifecycleChanged,
  type DeviceSelectionAnswered,
  DeviceSelectionPages,
  type DeviceSelectionRequested,
  DeviceSelections,
  type DeviceSessionChanged,
  DeviceSessions,
  fixtures,
  type Topic,
} from '@lanyard/contracts';
import { type Batch, BatchConsumer, KafkaConnection, KafkaProducer, StateReader } from '@lanyard/kafka';
import {
  type Clock,
  CLOCK,
  createLogger,
  type FieldProblem,
  identityHeader,
  newId,
  type RunningService,
  signIdentity,
  startService,
} from '@lanyard/service';
import { infrastructure, type Isolation, isolate, newIdentityKeys, withProviders } from '@lanyard/testing';
import { Client } from 'pg';
import { definition } from '../src/app.module.js';
import { readConfig } from '../src/config.js';

const identityKeys = newIdentityKeys();

/** SHA-256 of a certificate in PEM, as credentials have it. */
export const fingerprintOf = (pem: string): string =>
  new X509Certificate(pem).fingerprint256.replaceAll(':', '').toLowerCase();

export const accountId = newId();

/** A record or a list, as a client reads it: the members that tests look into, and any others. */
export interface Body {
  [member: string]: unknown;
  id: string;
  name: string;
  reference: string;
  etag: string;
  after: string;
  has_more: boolean;
  state: string;
  total_count: number;
  processed_count: number;
  errors_report_file: string;
  matched_count: number;
  changed_count: number;
  /** Tests that look into a list expect it to have an item. */
  data: [Body, ...Body[]];
  fields: [FieldProblem, ...FieldProblem[]];
}

export interface Reply {
  status: number;
  headers: Headers;
  /** Of a JSON answer. */
  body: Body;
  text: string;
}

/** As it is, or as it comes. */
const isText = (body: unknown): body is string | ReadableStream =>
  typeof body === 'string' || body instanceof ReadableStream;

/**
 * Two replicas of the registry on isolated infrastructure, for the tests of one file. `settings`: of both, in their environment;
 * `clock`: of both, in place of the system clock.
 */
export const testSystem = (name: string, settings: NodeJS.ProcessEnv = {}, clock?: Clock) => {
  let isolation: Isolation;
  let services: RunningService[];
  let kafka: KafkaConnection;
  let producer: KafkaProducer;
  const started: { stop(): Promise<void> }[] = [];
  let credentials: StateReader<DeviceCredentialChanged>;
  let groups: StateReader<DeviceGroupsChanged>;
  let profiles: StateReader<BootstrapProfileChanged>;
  const announced: DeviceLifecycleChanged[] = [];
  const audited: DeviceEventReported[] = [];
  const selectionPages: DeviceSelectionAnswered[] = [];

  const call = async (
    method: string,
    path: string,
    body?: unknown,
    account = accountId,
    headers: Record<string, string> = {},
  ): Promise<Reply> => {
    const identity = {
      accountId: account,
      keyId: newId(),
      groups: [],
      permissions: ['devices'],
      tier: 'commercial' as const,
      requestId: 'r',
    };
    const response = await fetch((services[0] as RunningService).url + path, {
      method,
      headers: {
        'x-request-id': 'r',
        ...headers,
        [identityHeader]: signIdentity(identity, 'registry', identityKeys.privateKey, Date.now()),
      },
      ...(body !== undefined && { body: isText(body) ? body : JSON.stringify(body), duplex: 'half' }),
    });
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.includes('json');
    const { status } = response;
    const answer = (isJson && text !== '' ? JSON.parse(text) : {}) as Body;
    return { status, headers: response.headers, body: answer, text };
  };
  const created = async (fields: object = {}): Promise<string> => {
    const { status, body } = await call('POST', '/v3/devices/', { endpoint_name: newId(), ...fields });
    expect(status).toBe(201);
    return body.id;
  };
  const changesOf = (deviceId: string): DeviceLifecycleChanged[] => announced.filter((a) => a.deviceId === deviceId);
  const session = (deviceId: string, more: Partial<DeviceSessionChanged> = {}): DeviceSessionChanged => ({
    ...(fixtures(DeviceSessions).valid['registered'] as DeviceSessionChanged),
    accountId,
    deviceId,
    ...more,
  });

  const configOf = (replica: string, environment: NodeJS.ProcessEnv = {}): ReturnType<typeof readConfig> =>
    readConfig({
      KAFKA_BROKERS: infrastructure().brokers.join(','),
      KAFKA_TOPIC_PREFIX: isolation.topicPrefix,
      DATABASE_URL: isolation.databaseUrl,
      ...identityKeys.serviceEnv,
      ENCRYPTION_KEY: Buffer.alloc(32).toString('base64'),
      LOG_LEVEL: 'error',
      REPLICA_ID: replica,
      ...settings,
      ...environment,
    });

  const begin = async (part: { start(): Promise<void>; stop(): Promise<void> }): Promise<void> => {
    started.push(part);
    await part.start();
  };
  const listen = async <V>(topic: Topic<V>, heard: V[]): Promise<void> => {
    const handler = async ({ messages }: Batch<V>): Promise<void> => void heard.push(...messages.map((m) => m.value));
    await begin(new BatchConsumer<V>(kafka, { topic, group: 'test', onFatal: () => undefined, handler }));
  };
  const follow = async <V>(topic: Topic<V>): Promise<StateReader<V>> => {
    const reader = new StateReader<V>(kafka, topic, { project: (value) => value, onFatal: () => undefined });
    await begin(reader);
    return reader;
  };

  beforeAll(async () => {
    isolation = await isolate(name);
    const create = clock && withProviders([CLOCK, clock]);
    services = await Promise.all(
      ['registry-0', 'registry-1'].map((replica) => startService(definition, configOf(replica), create)),
    );
    const logger = createLogger({ app: 'test', replicaId: 'test', level: 'error' });
    kafka = new KafkaConnection({
      brokers: infrastructure().brokers,
      topicPrefix: isolation.topicPrefix,
      clientId: 'test',
      logger,
    });
    producer = new KafkaProducer(kafka, { source: 'test' });
    await producer.connect();
    await listen(DeviceLifecycle, announced);
    await listen(DeviceEvents, audited);
    await listen(DeviceSelectionPages, selectionPages);
    credentials = await follow(DeviceCredentials);
    groups = await follow(DeviceGroups);
    profiles = await follow(BootstrapProfiles);
  });

  afterAll(async () => {
    for (const part of started) await part.stop();
    await producer?.disconnect();
    await kafka?.close();
    await Promise.all((services ?? []).map((s) => s.stop()));
    await isolation?.drop();
  });

  return {
    call,
    configOf,
    created,
    changesOf,
    /** What operators did, as the event log hears it. */
    audited: (): readonly DeviceEventReported[] => audited,
    /** Answers to selections. */
    selectionPages: (): readonly DeviceSelectionAnswered[] => selectionPages,
    /** Asks for devices, as the campaigns app does. */
    requestSelection: (request: DeviceSelectionRequested): Promise<void> => producer.send(DeviceSelections, request),
    /** What the proxies know of a credential now. */
    announcedCredential: (id: string): DeviceCredentialChanged | undefined => credentials.get(id),
    /** The groups of a device, as announced; undefined: it was never in one, or is in none. */
    announcedGroups: (deviceId: string): readonly string[] | undefined => groups.get(deviceId)?.groups,
    /** Of the last announcement of them: who hears a lower one later leaves it. */
    groupsRevision: (deviceId: string): number => groups.get(deviceId)?.revision ?? -1,
    announcedProfile: (id: string): BootstrapProfileChanged | undefined => profiles.get(id),
    session,
    /** Says how far a bootstrap is, as a proxy does. */
    tellBootstrap: (fact: DeviceBootstrapChanged): Promise<void> => producer.send(DeviceBootstraps, fact),
    /** What a statement answers. */
    rows: async (sql: string): Promise<unknown[]> => {
      const client = new Client({ connectionString: isolation.databaseUrl });
      await client.connect();
      const { rows } = await client.query<Record<string, unknown>>(sql);
      await client.end();
      return rows;
    },
    /** How many messages of a topic the registry gave up. */
    deadLetters: async ({ name: topic }: { name: string }): Promise<number> => {
      const offsets = await kafka.offsets(deadLetterTopic(topic, 'registry'));
      return [...offsets.values()].reduce((sum, { low, high }) => sum + Number(high - low), 0);
    },
    /** Says something about an account, as the gateway does. */
    tellAccount: (account: AccessAccountChanged): Promise<void> => producer.send(AccessAccounts, account),
    /** Says something about a session, as a proxy does. */
    tell: (fact: DeviceSessionChanged): Promise<void> => producer.send(DeviceSessions, fact),
    /** Says that an endpoint came for the first time, as a proxy does. */
    introduce: (
      contact: Partial<DeviceContacted> & Pick<DeviceContacted, 'deviceId' | 'endpointName'>,
    ): Promise<void> => producer.send(DeviceContacts, { accountId, occurredAt: new Date().toISOString(), ...contact }),
    replica: (n: number): RunningService => services[n] as RunningService,
  };
};
