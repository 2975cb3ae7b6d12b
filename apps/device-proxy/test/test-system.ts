import {
  type AccessAccountChanged,
  AccessAccounts,
  type AccessKeyChanged,
  AccessKeys,
  type DeviceCommandAccepted,
  type DeviceContacted,
  DeviceContacts,
  type DeviceCredentialChanged,
  DeviceCredentials,
  type DeviceEventReported,
  DeviceEvents,
  DeviceCommandResults,
  DeviceCommands,
  type DeviceCommandFinished,
  DeviceLifecycle,
  type DeviceLifecycleChanged,
  type DeviceSessionChanged,
  DeviceSessions,
  DeviceValues,
  type ResourceValueArrived,
  type SubscriptionChanged,
  SubscriptionsState,
  type Topic,
} from '@lanyard/contracts';
import { BatchConsumer, KafkaConnection, KafkaProducer } from '@lanyard/kafka';
import {
  type Clock,
  CLOCK,
  createLogger,
  formatTimestamp,
  type Identity,
  identityHeader,
  newId,
  seal,
  signIdentity,
  startService,
} from '@lanyard/service';
import {
  type DeviceOptions,
  infrastructure,
  eventually,
  holdRows,
  isolate,
  type Isolation,
  newIdentityKeys,
  thermometer,
  type Thermometer,
} from '@lanyard/testing';
import { Redis } from 'ioredis';
import { Client } from 'pg';
import { definition } from '../src/app.module.js';
import type { DeviceProxyConfig } from '../src/config.js';
import { awakeWindowMs, expiryGraceMs as defaultExpiryGraceMs, pushMaxMs as defaultPushMaxMs } from '../src/limits.js';
import { connectionKeys } from '../src/connections/keys.js';
import { DeviceDirectory } from '../src/state/device-directory.js';
import { sessionKeys } from '../src/sessions/keys.js';
import { dtlsLimits, type ProxyOptions, replacing, type RunningProxy, tlsLimits, withPorts } from './running-proxy.js';
import { topics } from './topics.js';

export const b64 = (text: string): string => Buffer.from(text).toString('base64');

export const encryptionKey = Buffer.alloc(32);

const identityKeys = newIdentityKeys();

export const newKey = (accountId: string): Identity => ({
  accountId,
  keyId: newId(),
  groups: [],
  permissions: ['devices'],
  tier: 'commercial',
  requestId: newId(),
});

export interface Reply {
  status: number;
  text: string;
  json: Record<string, unknown>;
}

/** One fact of a topic, as it came. */
export interface Read<V> {
  value: V;
  audience: string | undefined;
  id: string | undefined;
}

/** Replicas of the proxy on infrastructure of their own, with the other services played by the test. */
export class TestSystem {
  readonly accountId = newId();
  readonly sessions: Read<DeviceSessionChanged>[] = [];
  readonly values: Read<ResourceValueArrived>[] = [];
  readonly commands: Read<DeviceCommandAccepted>[] = [];
  readonly results: Read<DeviceCommandFinished>[] = [];
  readonly subscriptions: Read<SubscriptionChanged>[] = [];
  readonly events: Read<DeviceEventReported>[] = [];
  private readonly proxies: RunningProxy[] = [];
  private readonly things: Thermometer[] = [];
  private readonly consumers: { stop(): Promise<void> }[] = [];
  private revision = 1;
  /** Names of devices that were announced. */
  private readonly names = new Set<string>();
  /** Endpoints that came for the first time; the registry creates their devices while `registryRuns`. */
  readonly contacts: Read<DeviceContacted>[] = [];
  registryRuns = true;

  private constructor(
    private readonly isolation: Isolation,
    private readonly connection: KafkaConnection,
    private readonly producer: KafkaProducer,
  ) {}

  static async create(name: string, { autoCreateDevices = true } = {}): Promise<TestSystem> {
    const isolation = await isolate(name);
    const connection = new KafkaConnection({
      brokers: infrastructure().brokers,
      clientId: `test-${name}`,
      topicPrefix: isolation.topicPrefix,
      partitions: 2,
      logger: createLogger({ app: 'test', replicaId: name, level: 'silent' }),
    });
    await connection.ensureTopics(topics);
    const producer = new KafkaProducer(connection, { source: 'test' });
    await producer.connect();
    const system = new TestSystem(isolation, connection, producer);
    await system.account(autoCreateDevices);
    await Promise.all([
      system.follow(DeviceSessions, system.sessions),
      system.follow(DeviceValues, system.values),
      system.follow(DeviceCommands, system.commands),
      system.follow(DeviceCommandResults, system.results),
      system.follow(SubscriptionsState, system.subscriptions),
      system.follow(DeviceEvents, system.events),
      system.follow(DeviceContacts, system.contacts, (contact) => system.create(contact)),
    ]);
    return system;
  }

  /** Starts a replica. The same `replicaId` again is that replica after a restart, at another port: devices `talkTo` it. */
  async proxy(
    replicaId: string,
    {
      coapPort = 0,
      clock,
      dtls,
      tls,
      tcp,
      accountId = this.accountId,
      campaignsUrls = [],
      pushMaxMs = defaultPushMaxMs,
      logger,
      expiryGraceMs = defaultExpiryGraceMs,
    }: ProxyOptions = {},
  ): Promise<RunningProxy> {
    const config: DeviceProxyConfig = {
      app: 'device-proxy',
      replicaId,
      http: { host: '127.0.0.1', port: 0 },
      kafka: { brokers: infrastructure().brokers, topicPrefix: this.isolation.topicPrefix },
      logLevel: 'silent',
      secrets: {
        databaseUrl: this.isolation.databaseUrl,
        redisUrl: infrastructure().redisUrl,
        identityKeys: [identityKeys.publicKey],
        encryptionKey,
      },
      redisPrefix: `${this.isolation.redisPrefix}dp:`,
      requestsInFlightMax: 1_000,
      campaignsUrls,
      pushMaxMs,
      awakeMs: awakeWindowMs,
      expiryGraceMs,
      coap: { host: '127.0.0.1', port: coapPort, accountId, receiveBufferBytes: 262_144 },
      ...(dtls && {
        dtls: { host: '127.0.0.1', port: 0, receiveBufferBytes: 262_144, limits: dtlsLimits, ...dtls },
        peerPort: { host: '127.0.0.1', port: 0 },
      }),
      ...(tls && { tls: { host: '127.0.0.1', port: 0, limits: tlsLimits, ...tls } }),
      ...(tcp && { tcp: { host: '127.0.0.1', port: 0, accountId } }),
    };
    const proxy = withPorts(await startService(definition, config, replacing({ clock, logger })));
    this.proxies.push(proxy);
    return proxy;
  }

  /** A thermometer that talks to this replica. */
  thing(proxy: RunningProxy, name: string, options: Partial<DeviceOptions> = {}): Thermometer {
    const thing = thermometer({ name, server: `coap://127.0.0.1:${proxy.coapPort}`, ...options });
    this.things.push(thing);
    return thing;
  }

  async account(
    autoCreateDevices: boolean,
    devicesMax?: number,
    settings: Partial<AccessAccountChanged> = {},
  ): Promise<void> {
    await this.producer.send<AccessAccountChanged>(AccessAccounts, {
      accountId: this.accountId,
      tier: 'commercial',
      status: 'active',
      autoCreateDevices,
      ...(devicesMax !== undefined && { devicesMax }),
      ...settings,
      changedAt: formatTimestamp(Date.now()),
    });
  }

  /** What the registry would announce. */
  async lifecycle(
    deviceId: string,
    endpointName: string,
    change: DeviceLifecycleChanged['change'],
    more: Pick<DeviceLifecycleChanged, 'ackTimeoutMs' | 'blockBytes' | 'handshakeTimerMs' | 'hostGateway'> = {},
  ): Promise<void> {
    if (change === 'deleted') this.names.delete(endpointName);
    else this.names.add(endpointName);
    await this.producer.send<DeviceLifecycleChanged>(DeviceLifecycle, {
      deviceId,
      accountId: this.accountId,
      change,
      endpointName,
      lifecycleStatus: change === 'suspended' ? 'blocked' : 'enabled',
      ...more,
      revision: this.revision++,
      changedAt: formatTimestamp(Date.now()),
    });
  }

  /** Waits until the replica knows the device of this name, if one was announced: it may know its credential first. */
  async knows({ app }: RunningProxy, endpointName: string): Promise<void> {
    const directory = app.get(DeviceDirectory, { strict: false });
    if (this.names.has(endpointName)) await eventually(() => !!directory.named(this.accountId, endpointName));
  }

  /** What the registry would announce; answers the id of the credential. */
  async credential(credential: Partial<DeviceCredentialChanged> & { key?: string }): Promise<string> {
    const { key, ...rest } = credential;
    const credentialId = newId();
    await this.producer.send<DeviceCredentialChanged>(DeviceCredentials, {
      credentialId,
      accountId: this.accountId,
      kind: 'psk',
      ...(key !== undefined && { sealedKey: seal(encryptionKey, key) }),
      changedAt: formatTimestamp(Date.now()),
      ...rest,
    });
    return credentialId;
  }

  /** What another service would announce. */
  announce<V>(topic: Topic<V>, value: NoInfer<V>): Promise<void> {
    return this.producer.send(topic, value);
  }

  /** The end of what a key of the topic was about. */
  end<V>(topic: Topic<V>, key: string): Promise<void> {
    return this.producer.sendTombstone(topic, key);
  }

  withdraw(credentialId: string): Promise<void> {
    return this.end(DeviceCredentials, credentialId);
  }

  keyGone(keyId: string, status: 'inactive' | 'deleted'): Promise<void> {
    return this.key(keyId, { status });
  }

  /** What the gateway would announce of a key. */
  async key(keyId: string, changes: Partial<AccessKeyChanged>): Promise<void> {
    await this.producer.send<AccessKeyChanged>(AccessKeys, {
      keyId,
      accountId: this.accountId,
      hash: '0'.repeat(64),
      groups: [],
      permissions: [],
      tier: 'commercial',
      status: 'active',
      revision: 2,
      changedAt: formatTimestamp(Date.now()),
      ...changes,
    });
  }

  async call(
    proxy: RunningProxy,
    key: Identity,
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Reply> {
    const response = await this.raw(proxy, key, method, path, body, headers);
    const text = await response.text();
    let json: Record<string, unknown> = {};
    try {
      json = JSON.parse(text) as Record<string, unknown>;
    } catch {
      // A token, or nothing.
    }
    return { status: response.status, text, json };
  }

  /** The response itself. */
  raw(
    proxy: RunningProxy,
    key: Identity,
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Response> {
    const payload = Buffer.isBuffer(body)
      ? new Uint8Array(body)
      : typeof body === 'string'
        ? body
        : JSON.stringify(body);
    return fetch(proxy.url + path, {
      method,
      headers: {
        [identityHeader]: signIdentity(key, 'device-proxy', identityKeys.privateKey, proxy.app.get<Clock>(CLOCK).now()),
        ...headers,
      },
      ...(payload !== undefined && { body: payload }),
    });
  }

  /** Runs the statement in a transaction that stays open until what this answers is called. */
  holdRows(sql: string): Promise<() => Promise<void>> {
    return holdRows(this.isolation.databaseUrl, sql, []);
  }

  /** The session of a device as Redis has it. */
  async storedSession(deviceId: string): Promise<Record<string, string>> {
    return this.withRedis((redis, prefix) => redis.hgetall(sessionKeys(prefix).session(deviceId)));
  }

  /** Ends the leases of all replicas for DTLS connections, as if they had been killed a while ago. */
  async endLeases(): Promise<void> {
    await this.withRedis((redis, prefix) => redis.del(connectionKeys(prefix).slots));
  }

  /** Whether the state of a DTLS connection is stored. */
  async isStored(connectionId: string): Promise<boolean> {
    return (
      (await this.withRedis((redis, prefix) => redis.exists(connectionKeys(prefix).connection(connectionId)))) === 1
    );
  }

  /** How long Redis keeps the state of the connection. */
  storedForMs(connectionId: string): Promise<number> {
    return this.withRedis((redis, prefix) => redis.pttl(connectionKeys(prefix).connection(connectionId)));
  }

  private async withRedis<T>(work: (redis: Redis, prefix: string) => Promise<T>): Promise<T> {
    const redis = new Redis(infrastructure().redisUrl);
    try {
      return await work(redis, `${this.isolation.redisPrefix}dp:`);
    } finally {
      redis.disconnect();
    }
  }

  /** What a statement answers. */
  async rows(sql: string): Promise<unknown[]> {
    const client = new Client({ connectionString: this.isolation.databaseUrl });
    await client.connect();
    try {
      return (await client.query<Record<string, unknown>>(sql)).rows;
    } finally {
      await client.end();
    }
  }

  /** The fact that `accepts` picks, once it is there. */
  fact<V>(facts: readonly Read<V>[], accepts: (value: V) => boolean, timeoutMs?: number): Promise<Read<V>> {
    return eventually(
      () => {
        const found = facts.find(({ value }) => accepts(value));
        if (!found) throw new Error(`not among ${JSON.stringify(facts.map(({ value }) => value)).slice(0, 4000)}`);
        return found;
      },
      timeoutMs === undefined ? {} : { timeoutMs },
    );
  }

  result(asyncId: string, timeoutMs?: number): Promise<Read<DeviceCommandFinished>> {
    return this.fact(this.results, (value) => value.asyncId === asyncId, timeoutMs);
  }

  /** Subscribes the key to a path; the device may confirm after the answer. Resolves to the async-id when it has. */
  async subscribe(proxy: RunningProxy, key: Identity, deviceId: string, path: string): Promise<string> {
    const { json, text } = await this.call(proxy, key, 'PUT', `/v2/subscriptions/${deviceId}${path}`);
    const asyncId = json['async-response-id'];
    if (typeof asyncId !== 'string') throw new Error(`not subscribed: ${text}`);
    const { item } = (await this.result(asyncId)).value;
    if (item.status !== 200) throw new Error(`not subscribed: ${JSON.stringify(item)}`);
    return asyncId;
  }

  /**
   * Registers the thing; answers the device id that the registration announced. On a busy machine a new device may have
   * to ask more than once.
   */
  async register(thing: Thermometer): Promise<string> {
    const registrationId = await eventually(() => thing.device.register());
    const { value } = await this.fact(
      this.sessions,
      (v) => v.change === 'registered' && v.sessionId === registrationId,
    );
    return value.deviceId;
  }

  async stop(proxy: RunningProxy): Promise<void> {
    this.proxies.splice(this.proxies.indexOf(proxy), 1);
    await proxy.stop();
  }

  async close(): Promise<void> {
    await Promise.all(this.things.map(({ device }) => device.close()));
    await Promise.all(this.proxies.map((proxy) => proxy.stop()));
    await Promise.all(this.consumers.map((consumer) => consumer.stop()));
    await this.producer.disconnect();
    await this.connection.close();
    await this.isolation.drop();
  }

  /** What the registry does with a first contact. */
  private async create({ deviceId, endpointName, hostGateway }: DeviceContacted): Promise<void> {
    if (this.registryRuns)
      await this.lifecycle(deviceId, endpointName, 'created', { ...(hostGateway !== undefined && { hostGateway }) });
  }

  /** Collects the facts of a topic. */
  async follow<V>(
    topic: Topic<V>,
    into: Read<V>[],
    then: (value: V) => Promise<void> = () => Promise.resolve(),
  ): Promise<void> {
    const consumer = new BatchConsumer<V>(this.connection, {
      topic,
      group: 'test',
      handler: async ({ messages }) => {
        into.push(
          ...messages.map(({ value, headers }) => ({
            value,
            audience: headers.get('ce_audience'),
            id: headers.get('ce_id'),
          })),
        );
        await Promise.all(messages.map(({ value }) => then(value)));
      },
      onFatal: (error) => {
        throw error;
      },
    });
    await consumer.start();
    this.consumers.push(consumer);
  }
}
