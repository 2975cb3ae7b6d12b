/** The system of one run of a row: its own topics, database and keys in Redis, dispatchers, tenants and channels. */
import { randomBytes } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { AccessKeys, ChannelsState, DeviceCommandResults, DeviceSessions, DeviceValues } from '@lanyard/contracts';
import { KafkaConnection, type KafkaProducer } from '@lanyard/kafka';
import { createLogger, newId } from '@lanyard/service';
import pg from 'pg';
import { newIdentityKeys, signingKeyOf } from '../tools/lanyard/identity-keys.ts';
import { Customer, identityHeaders } from '../tools/testing/customer.ts';
import { whenAvailable } from './available.ts';
import { evict } from './group-members.ts';
import { Load } from './load.ts';
import { CallbackReceiver } from './receivers/callback-receiver.ts';
import { PullReceiver } from './receivers/pull-receiver.ts';
import { SocketReceiver } from './receivers/socket-receiver.ts';
import { producerOf } from './program.ts';
import { repeatedIds } from './repeated-records.ts';
import { Replica } from './replica.ts';
import type { Infrastructure } from './infrastructure.ts';
import type { History, Kind } from './history.ts';
import type { Random } from '../tools/testing/random.ts';

/** Dispatchers get the public key. The private key is for the gateway, and for calls that are signed in its place. */
export const identityKeys = newIdentityKeys();
const signingKey = signingKeyOf(identityKeys);
const sources = [DeviceSessions, DeviceValues, DeviceCommandResults];

/** No divisors of the events in a chunk, so that batches end within chunks. */
const batchSizes = [7, 40, 130, 10_000];

type Receiver = CallbackReceiver | SocketReceiver | PullReceiver;

/** `kinds`: channels of each tenant; `devices`: number of devices of each tenant */
interface Options {
  name: string;
  seed: number;
  folder: string;
  program: string;
  infrastructure: Infrastructure;
  redisPort: number;
  history: History;
  random: Random;
  replicas: number;
  tenants: number;
  kinds: readonly Kind[];
  devices: number;
  environment?: Record<string, string>;
}

export class FaultSystem {
  replicas: Replica[] = [];
  /** By name of the channel, which is the id of its key. */
  customers = new Map<string, Customer>();
  callbacks = new Map<string, CallbackReceiver>();
  sockets = new Map<string, SocketReceiver>();
  pulls = new Map<string, PullReceiver>();
  /** Producers with their own clocks. */
  producers: KafkaProducer[] = [];
  started = 0;
  options: Options;
  Producer: typeof KafkaProducer;
  history: History;
  unique = `f${randomBytes(4).toString('hex')}`;
  redisPrefix: string;
  kafka: KafkaConnection;
  producer: KafkaProducer;
  load: Load;
  databaseUrl: string;

  /** @param Producer of the program */
  constructor(options: Options, Producer: typeof KafkaProducer) {
    this.options = options;
    this.Producer = Producer;
    this.history = options.history;
    this.redisPrefix = `${this.unique}:`;
    const logger = createLogger({ app: 'faults', replicaId: 'faults', level: 'silent' });
    this.kafka = new KafkaConnection({
      brokers: options.infrastructure.brokers,
      topicPrefix: `${this.unique}.`,
      clientId: 'faults',
      partitions: 2,
      logger,
    });
    this.producer = new this.Producer(this.kafka, { source: 'faults', now: () => Date.now() + this.load.shiftMs });
    this.load = new Load(
      this.producer,
      options.history,
      options.random.fork('load'),
      `${options.name}s${options.seed}`,
    );
    this.databaseUrl = options.infrastructure.databaseUrl.replace(/postgres$/, this.unique);
  }

  static async create(options: Options) {
    const system = new FaultSystem(options, await producerOf(options.program));
    try {
      await system.start();
      return system;
    } catch (error) {
      await system.drop();
      throw error;
    }
  }

  async start() {
    const { folder, replicas, tenants, kinds, devices } = this.options;
    mkdirSync(folder, { recursive: true });
    await Promise.all([
      this.sql(`CREATE DATABASE ${this.unique}`),
      this.kafka.ensureTopics([AccessKeys, ChannelsState, ...sources]),
    ]);
    await this.producer.connect();
    // The first replica creates the tables for the others.
    await (await this.addReplica()).start();
    await Promise.all(Array.from({ length: replicas - 1 }, async () => (await this.addReplica()).start()));
    for (let n = 0; n < tenants; n++) await this.addTenant(kinds, devices);
  }

  /** Variables of every service. */
  get commonEnvironment() {
    return {
      KAFKA_BROKERS: this.options.infrastructure.brokers.join(','),
      KAFKA_TOPIC_PREFIX: `${this.unique}.`,
      DATABASE_URL: this.databaseUrl,
      LOG_LEVEL: 'info',
    };
  }

  async addReplica() {
    const { folder, program, redisPort, environment } = this.options;
    const replica = await Replica.create({
      name: `dispatcher-${this.started++}`,
      folder,
      program,
      redisPort,
      environment: {
        ...this.commonEnvironment,
        DISPATCHER_REDIS_PREFIX: this.redisPrefix,
        DISPATCHER_CALLBACK_ALLOW_CIDRS: '127.0.0.0/8',
        IDENTITY_PUBLIC_KEYS: identityKeys.identityPublicKey,
        ENCRYPTION_KEY: Buffer.alloc(32, 7).toString('base64'),
        ...environment,
      },
    });
    this.replicas.push(replica);
    return replica;
  }

  async addTenant(kinds: readonly Kind[], devices: number) {
    const accountId = newId();
    const channels = await Promise.all(kinds.map((kind) => this.addChannel(accountId, kind)));
    const { random } = this.options;
    for (let n = 0; n < devices; n++) {
      const own = n < channels.length ? [channels[n] as string] : channels.filter(() => random.chance(0.6));
      this.load.addDevice({ tenant: accountId, kind: 'values', keyIds: own, channels: own });
    }
    this.load.addDevice({ tenant: accountId, kind: 'sessions', keyIds: [], channels });
    // Names a key of another tenant, which must not receive the events.
    const foreign = [...this.customers.values()].find((customer) => customer.accountId !== accountId)?.keyId;
    if (foreign) this.load.addDevice({ tenant: accountId, kind: 'values', keyIds: [...channels, foreign], channels });
  }

  /** @returns its name */
  async addChannel(accountId: string, kind: Kind): Promise<string> {
    const { random } = this.options;
    const customer = new Customer(accountId);
    const { keyId } = customer;
    await customer.announce(this.producer);
    this.customers.set(keyId, customer);
    this.history.addChannel({ name: keyId, kind, tenant: accountId });
    await this.receiverOf(customer, kind, random.pick(batchSizes));
    return keyId;
  }

  async receiverOf(customer: Customer, kind: Kind, batchSize: number) {
    const name = customer.keyId;
    const serialization = { max_chunk_size: batchSize, cfg: { include_uid: true } };
    if (kind === 'callback') {
      const receiver = await new CallbackReceiver(this.history, name).start();
      this.callbacks.set(name, receiver);
      await this.mustCall(name, 'PUT', 'callback', { url: receiver.url, serialization });
    } else if (kind === 'websocket') {
      await this.mustCall(name, 'PUT', 'websocket', { serialization });
      this.sockets.set(name, new SocketReceiver(this.history, name, customer.key, () => this.anyReplica().url).start());
    } else {
      await this.mustCall(name, 'GET', 'pull?noWait=true');
      this.pulls.set(name, new PullReceiver(this.history, name, () => this.pollTarget(name)).start());
    }
  }

  get receivers(): Receiver[] {
    return [...this.callbacks.values(), ...this.sockets.values(), ...this.pulls.values()];
  }

  /** A running replica, as a load balancer would choose it. */
  anyReplica() {
    const running = this.replicas.filter(({ isRunning, isPaused }) => isRunning && !isPaused);
    const all = running.length > 0 ? running : this.replicas;
    return all[Math.floor(Math.random() * all.length)] as Replica;
  }

  /** Where a client polls next, and as which caller. */
  pollTarget(channel: string) {
    const replica = this.anyReplica();
    return { url: replica.url, headers: this.identity(channel, replica) };
  }

  /** The gateway's statement about the caller, with the time of the replica. */
  identity(channel: string, replica: Replica): Record<string, string> {
    const customer = this.customers.get(channel) as Customer;
    return identityHeaders(customer, 'dispatcher', signingKey, Date.now() + replica.shiftMs);
  }

  async call(channel: string, method: string, path: string, body?: unknown, replica: Replica = this.anyReplica()) {
    const response = await fetch(`${replica.url}/v2/notification/${path}`, {
      method,
      headers: this.identity(channel, replica),
      ...(body !== undefined && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(30_000),
    });
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.includes('json');
    const retryAfter = response.headers.get('retry-after');
    return { status: response.status, retryAfter, text, json: isJson ? JSON.parse(text) : undefined };
  }

  /** Retries after 503, as clients do. Throws unless the last answer is a success. */
  async mustCall(channel: string, method: string, path: string, body?: unknown) {
    const answer = await whenAvailable(() => this.call(channel, method, path, body));
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`);
    return answer;
  }

  /** Tells Kafka that a replica is no longer a member of its groups. Resolves with whether it was one. */
  async evict({ name }: Replica) {
    const groups = sources.map(({ name: topic }) => `${this.unique}.dispatcher.${topic}`);
    const [broker = ''] = this.options.infrastructure.brokers;
    return (await evict(this.kafka, broker, groups, name).catch(() => 0)) > 0;
  }

  /** Makes a new connection, which knows the changes of the cluster. */
  async renewProducer() {
    const next = new this.Producer(this.kafka, { source: 'faults', now: () => Date.now() + this.load.shiftMs });
    await next.connect();
    const before = this.producer;
    this.producer = this.load.producer = next;
    await before.disconnect();
  }

  /** Adds a producer whose clock is off by this much. */
  async addProducer(shiftMs: number) {
    const producer = new this.Producer(this.kafka, { source: 'faults', now: () => Date.now() + shiftMs });
    await producer.connect();
    this.producers.push(producer);
    return producer;
  }

  /** The number of messages that a topic has had so far. */
  async endOf(topic: string) {
    const offsets = await this.kafka.offsets(topic);
    return [...offsets.values()].reduce((sum, { high }) => sum + Number(high), 0);
  }

  /** Ids of events that are more than once in Kafka. */
  repeatedIds() {
    const topics = sources.map(({ name }) => name);
    return repeatedIds(this.kafka, topics, `${this.unique}.repeated`);
  }

  async heal() {
    await Promise.all(this.replicas.map((replica) => replica.heal()));
    for (const receiver of this.receivers) receiver.heal();
  }

  async drop() {
    await this.load.stop().catch(() => undefined);
    for (const receiver of this.receivers) void receiver.stop();
    await Promise.all(this.replicas.map((replica) => replica.drop()));
    for (const producer of [this.producer, ...this.producers]) await producer.disconnect().catch(() => undefined);
    await this.kafka.close().catch(() => undefined);
    await this.sql(`DROP DATABASE IF EXISTS ${this.unique} WITH (FORCE)`).catch(() => undefined);
  }

  /** A session of PostgreSQL, which the caller ends. */
  async session() {
    const client = new pg.Client({ connectionString: this.options.infrastructure.databaseUrl });
    client.on('error', () => undefined);
    await client.connect();
    return client;
  }

  async sql(statement: string) {
    const client = await this.session();
    try {
      await client.query(statement);
    } finally {
      await client.end();
    }
  }
}
