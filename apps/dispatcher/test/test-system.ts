import {
  type AccessKeyChanged,
  AccessKeys,
  type ChannelChanged,
  type ChannelEventsDropped,
  ChannelsDrops,
  ChannelsState,
  DeviceCommandResults,
  type DeviceCommandFinished,
  DeviceSessions,
  type DeviceSessionChanged,
  DeviceValues,
  fixtures,
  type ResourceValueArrived,
} from '@lanyard/contracts';
import { KafkaConnection, KafkaProducer, StateReader } from '@lanyard/kafka';
import {
  type Clock,
  CLOCK,
  createLogger,
  fingerprintOf,
  formatApiKey,
  hashSecret,
  type Identity,
  identityHeader,
  newId,
  newSecret,
  type RunningService,
  signIdentity,
  startService,
  systemClock,
  type Timer,
} from '@lanyard/service';
import { infrastructure, isolate, type Isolation, newIdentityKeys, patienceMs, withProviders } from '@lanyard/testing';
import { Redis } from 'ioredis';
import { Client } from 'pg';
import { definition } from '../src/app.module.js';
import { type DispatcherConfig, readConfig } from '../src/config.js';
import { AccessKeysReader } from '../src/keys/access-keys.reader.js';

const identityKeys = newIdentityKeys();
const logger = createLogger({ app: 'test', replicaId: 'test', level: 'error' });

/** Kafka takes no message whose timestamp is further ahead than an hour. */
const aheadMaxMs = 59 * 60_000;

/** Shorter timers run soon enough by themselves. */
const slowMs = 10_000;

/** So much slower time passes while it is slowed down. */
const slowness = 100;

/**
 * Real time that can jump ahead: rules of hours are tested in milliseconds. Slow timers run when jumped over. It can
 * also be slowed down: what is due in a second is not due before a slow machine has looked.
 */
export class JumpingClock implements Clock {
  /** Timers of these lengths that are set from now on, and how long they take. */
  readonly stretched = new Map<number, number>();
  private offsetMs = 0;
  private slowSinceMs: number | undefined;
  private readonly slow = new Set<{ delayMs: number; dueMs: number; work: () => void }>();

  after(delayMs: number, work: () => void): Timer {
    const once = (): void => {
      timer.cancel();
      work();
    };
    const lastsMs = this.stretched.get(delayMs) ?? delayMs;
    const timer = this.slowed(
      lastsMs,
      systemClock.after(lastsMs, () => once()),
      once,
    );
    return timer;
  }

  /** Resolves when the time is over or jumped over, or the signal aborts. */
  sleep(delayMs: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        timer.cancel();
        signal?.removeEventListener('abort', done);
        resolve();
      };
      const timer = this.after(delayMs, done);
      if (signal?.aborted) done();
      else signal?.addEventListener('abort', done);
    });
  }

  every(periodMs: number, work: () => void): Timer {
    return this.slowed(periodMs, systemClock.every(periodMs, work), work);
  }

  now(): number {
    const realMs = Date.now();
    const sinceMs = this.slowSinceMs ?? realMs;
    return Math.floor(sinceMs + (realMs - sinceMs) / slowness) + this.offsetMs;
  }

  /** Until `resume`. Timers run as before, and jumps are as far as before. */
  slowDown(): void {
    this.slowSinceMs ??= Date.now();
  }

  resume(): void {
    this.offsetMs = this.now() - Date.now();
    this.slowSinceMs = undefined;
  }

  jump(byMs: number): void {
    this.offsetMs += byMs;
    const now = this.now();
    for (const timer of [...this.slow]) {
      if (timer.dueMs > now) continue;
      timer.dueMs = now + timer.delayMs;
      timer.work();
    }
  }

  private slowed(delayMs: number, real: Timer, work: () => void): Timer {
    if (delayMs < slowMs) return real;
    const entry = { delayMs, dueMs: this.now() + delayMs, work };
    this.slow.add(entry);
    return {
      cancel: () => {
        this.slow.delete(entry);
        real.cancel();
      },
    };
  }
}

export interface Customer {
  accountId: string;
  keyId: string;
  /** The text of the key. */
  key: string;
}

export interface Answer {
  status: number;
  body: unknown;
  text: string;
  headers: Headers;
}

/** An isolated part of the infrastructure, dispatchers on it, and their clients. */
export class TestSystem {
  readonly channels: StateReader<ChannelChanged>;
  /** What channels lost, as announced. */
  readonly drops: ChannelEventsDropped[] = [];
  private readonly dropReader: StateReader<ChannelEventsDropped>;
  readonly redis: Redis;
  private readonly replicas: RunningService[] = [];
  private revision = 0;
  private sequence = 0;

  private constructor(
    readonly isolation: Isolation,
    readonly clock: JumpingClock,
    private readonly kafka: KafkaConnection,
    readonly producer: KafkaProducer,
  ) {
    this.redis = new Redis(infrastructure().redisUrl);
    this.channels = new StateReader<ChannelChanged>(kafka, ChannelsState, {
      project: (value) => value,
      onFatal: () => undefined,
    });
    this.dropReader = new StateReader<ChannelEventsDropped>(kafka, ChannelsDrops, {
      project: (value) => value,
      onFatal: () => undefined,
    });
    this.dropReader.onChange((_, drop) => drop && this.drops.push(drop));
  }

  static async create(name: string): Promise<TestSystem> {
    const isolation = await isolate(name);
    const kafka = new KafkaConnection({
      brokers: infrastructure().brokers,
      topicPrefix: isolation.topicPrefix,
      clientId: 'test',
      partitions: 2,
      logger,
    });
    await kafka.ensureTopics([
      AccessKeys,
      ChannelsState,
      ChannelsDrops,
      DeviceSessions,
      DeviceValues,
      DeviceCommandResults,
    ]);
    const clock = new JumpingClock();
    const producer = new KafkaProducer(kafka, {
      source: 'test',
      now: () => Math.min(clock.now(), Date.now() + aheadMaxMs),
    });
    await producer.connect();
    const system = new TestSystem(isolation, clock, kafka, producer);
    await system.channels.start();
    await system.dropReader.start();
    return system;
  }

  async startReplica(name = 'dispatcher-0', environment: NodeJS.ProcessEnv = {}): Promise<RunningService> {
    const replica = await startService(definition, this.config(name, environment), withProviders([CLOCK, this.clock]));
    this.replicas.push(replica);
    return replica;
  }

  config(name: string, environment: NodeJS.ProcessEnv = {}): DispatcherConfig {
    return readConfig({
      REPLICA_ID: name,
      KAFKA_BROKERS: infrastructure().brokers.join(','),
      KAFKA_TOPIC_PREFIX: this.isolation.topicPrefix,
      DATABASE_URL: this.isolation.databaseUrl,
      REDIS_URL: infrastructure().redisUrl,
      DISPATCHER_REDIS_PREFIX: this.isolation.redisPrefix,
      DISPATCHER_CALLBACK_ALLOW_CIDRS: '127.0.0.0/8',
      ...identityKeys.serviceEnv,
      ENCRYPTION_KEY: Buffer.alloc(32, 7).toString('base64'),
      LOG_LEVEL: 'error',
      ...environment,
    });
  }

  async drop(): Promise<void> {
    await Promise.all(this.replicas.map((replica) => replica.stop()));
    await this.channels.stop();
    await this.dropReader.stop();
    await this.producer.disconnect();
    await this.kafka.close();
    this.redis.disconnect();
    await this.isolation.drop();
  }

  /** A key that the gateway has announced. */
  async customer(accountId = newId()): Promise<Customer> {
    const customer = this.unannounced(accountId);
    await this.announceKey(customer);
    return customer;
  }

  /** A key that the gateway has just made. */
  unannounced(accountId = newId()): Customer {
    const keyId = newId();
    const secret = newSecret(accountId, keyId);
    return { accountId, keyId, key: formatApiKey({ accountId, keyId, secret }) };
  }

  /** The same key with another secret, which is not announced yet. */
  anotherSecret({ accountId, keyId }: Customer): Customer {
    return { accountId, keyId, key: formatApiKey({ accountId, keyId, secret: newSecret(accountId, keyId) }) };
  }

  /** Resolves when every replica knows it: a request or a handshake waits for an announcement for a short time only. */
  async announceKey({ accountId, keyId, key }: Customer, fields: Partial<AccessKeyChanged> = {}): Promise<void> {
    const announced: AccessKeyChanged = {
      keyId,
      accountId,
      hash: hashSecret(key.slice(-32)),
      groups: [],
      permissions: ['notifications'],
      tier: 'commercial',
      status: 'active',
      revision: ++this.revision,
      changedAt: new Date().toISOString(),
      ...fields,
    };
    await this.producer.send(AccessKeys, announced);
    const readers = this.replicas.map(({ app }) => app.get(AccessKeysReader));
    await Promise.all(
      readers.map((keys) => keys.waitFor(keyId, patienceMs, ({ revision }) => revision >= announced.revision)),
    );
  }

  /** Until the result is called, the replica waits for the announcement of a key as long as a slow machine takes. */
  waitForKeys(service: RunningService): () => void {
    const keys = service.app.get(AccessKeysReader);
    const waitFor = keys.waitFor.bind(keys);
    keys.waitFor = (keyId, _, accepts) => waitFor(keyId, patienceMs, accepts);
    return () => void Reflect.deleteProperty(keys, 'waitFor');
  }

  async call(
    service: RunningService,
    customer: Customer | undefined,
    method: string,
    path: string,
    body?: unknown,
    options: {
      tier?: Identity['tier'];
      permissions?: string[];
      headers?: Record<string, string>;
      signal?: AbortSignal;
    } = {},
  ): Promise<Answer> {
    const response = await fetch(`${service.url}/v2/notification/${path}`, {
      method,
      headers: { ...(customer && this.identity(customer, options)), ...options.headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...(options.signal && { signal: options.signal }),
    });
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.includes('json') === true;
    const { status, headers } = response;
    return { status, headers, text, body: isJson ? (JSON.parse(text) as unknown) : undefined };
  }

  /** What the gateway adds to a request. */
  identity(
    { accountId, keyId, key }: Customer,
    { tier = 'commercial', permissions = ['notifications'] }: { tier?: Identity['tier']; permissions?: string[] } = {},
  ): Record<string, string> {
    const secretFingerprint = fingerprintOf(hashSecret(key.slice(-32)));
    const identity = {
      accountId,
      keyId,
      groups: [],
      permissions,
      tier,
      requestId: newId(),
      secretFingerprint,
    };
    return { [identityHeader]: signIdentity(identity, 'dispatcher', identityKeys.privateKey, this.clock.now()) };
  }

  /** SQL on the dispatcher's database: a crash leaves such traces. */
  async query(sql: string, parameters: unknown[]): Promise<unknown[]> {
    const client = new Client({ connectionString: this.isolation.databaseUrl });
    await client.connect();
    const { rows } = await client.query(sql, parameters);
    await client.end();
    return rows as unknown[];
  }

  /** A counter with labels, in one replica. 0 when it has not counted. */
  async counter(service: RunningService, name: string, label: string): Promise<number> {
    const text = await (await fetch(`${service.url}/metrics`)).text();
    const line = text.split('\n').find((each) => each.startsWith(`${name}{`) && each.includes(label));
    return Number(line?.split(' ').at(-1) ?? 0);
  }

  /** A value of a resource, for the channels of these keys. Resolves when Kafka has it. */
  async value(
    to: Customer | Customer[],
    payload: string | number,
    deviceId = newId(),
    about: Partial<ResourceValueArrived> = {},
  ): Promise<void> {
    const audience = Array.isArray(to) ? to : [to];
    const base = fixtures(DeviceValues).valid['notification for one key'] as ResourceValueArrived;
    await this.producer.send(DeviceValues, {
      ...base,
      item: { ...base.item, ep: deviceId, payload: Buffer.from(String(payload)).toString('base64') },
      deviceId,
      accountId: audience[0]?.accountId ?? newId(),
      sequence: ++this.sequence,
      audience: audience.map(({ keyId }) => keyId),
      ...about,
    });
  }

  /** Many values of one device, in order. */
  async values(to: Customer, from: number, count: number, deviceId = newId()): Promise<void> {
    await Promise.all(Array.from({ length: count }, (_, n) => this.value(to, from + n, deviceId)));
  }

  /** `uid`: of the item; a new one if it is not given. */
  async session(
    accountId: string,
    change: DeviceSessionChanged['change'],
    deviceId = newId(),
    uid?: string,
  ): Promise<string> {
    const base = fixtures(DeviceSessions).valid['registered'] as DeviceSessionChanged;
    const item = change === 'registered' || change === 'updated' ? { ...base.item, ep: deviceId } : { ep: deviceId };
    const fact = { ...base, item, change, deviceId, accountId, epoch: ++this.sequence };
    await this.producer.send(DeviceSessions, fact, uid === undefined ? {} : { id: uid });
    return deviceId;
  }

  async result({ accountId, keyId }: Customer, asyncId: string): Promise<void> {
    const valid = Object.values(fixtures(DeviceCommandResults).valid)[0] as DeviceCommandFinished;
    await this.producer.send(DeviceCommandResults, {
      ...valid,
      item: { id: asyncId, status: 200, payload: '' },
      accountId,
      keyId,
      asyncId,
    });
  }
}

/** What was sent as payloads of notifications. */
export const payloads = (notifications: readonly unknown[]): string[] =>
  (notifications as { payload: string }[]).map(({ payload }) => Buffer.from(payload, 'base64').toString());

export const numbers = (from: number, count: number): string[] =>
  Array.from({ length: count }, (_, n) => String(from + n));
