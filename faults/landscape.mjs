/** What one run of a row works on: its own topics, database and keys in Redis, dispatchers, tenants and channels. */
import { randomBytes } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { AccessKeys, ChannelsState, DeviceCommandResults, DeviceSessions, DeviceValues } from '@lanyard/contracts';
import { KafkaConnection } from '@lanyard/kafka';
import {
  createLogger,
  formatApiKey,
  hashSecret,
  identityHeader,
  newId,
  newSecret,
  signIdentity,
} from '@lanyard/service';
import pg from 'pg';
import { newIdentityKeys, signingKeyOf } from '../tools/lanyard/identity-keys.mjs';
import { whenAvailable } from './available.mjs';
import { evict } from './group-members.mjs';
import { Load } from './load.mjs';
import { CallbackReceiver } from './receivers/callback-receiver.mjs';
import { PullReceiver } from './receivers/pull-receiver.mjs';
import { SocketReceiver } from './receivers/socket-receiver.mjs';
import { producerOf } from './program.mjs';
import { repeatedIds } from './repeated-records.mjs';
import { Replica } from './replica.mjs';

/** The private one is the gateway's. */
export const identityKeys = newIdentityKeys();
const signingKey = signingKeyOf(identityKeys);
const sources = [DeviceSessions, DeviceValues, DeviceCommandResults];

/** Not divisors of what a chunk holds, so that batches end within chunks. */
const batchSizes = [7, 40, 130, 10_000];

/**
 * @typedef {{ accountId: string, keyId: string, key: string, secret: string }} Customer one API key
 * @typedef {CallbackReceiver | SocketReceiver | PullReceiver} Receiver
 * @typedef {{
 *   name: string, seed: number, folder: string, program: string, engines: import('./engines.mjs').Engines, redisPort: number,
 *   history: import('./history.mjs').History, random: import('./random.mjs').Random,
 *   replicas: number, tenants: number, kinds: readonly import('./history.mjs').Kind[], devices: number,
 *   environment?: Record<string, string>,
 * }} Options `kinds`: channels of each tenant; `devices`: of each tenant
 */

export class Landscape {
  /** @type {Replica[]} */
  replicas = [];
  /** By name of the channel, which is the id of its key. @type {Map<string, Customer>} */
  customers = new Map();
  /** @type {Map<string, CallbackReceiver>} */
  callbacks = new Map();
  /** @type {Map<string, SocketReceiver>} */
  sockets = new Map();
  /** @type {Map<string, PullReceiver>} */
  pulls = new Map();
  /** Those with clocks of their own. @type {import('@lanyard/kafka').KafkaProducer[]} */
  producers = [];
  revision = 0;
  started = 0;

  /** @param {Options} options @param {typeof import('@lanyard/kafka').KafkaProducer} Producer of the program */
  constructor(options, Producer) {
    this.options = options;
    this.Producer = Producer;
    this.history = options.history;
    this.unique = `f${randomBytes(4).toString('hex')}`;
    this.redisPrefix = `${this.unique}:`;
    const logger = createLogger({ app: 'faults', replicaId: 'faults', level: 'silent' });
    this.kafka = new KafkaConnection({
      brokers: options.engines.brokers,
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
    this.databaseUrl = options.engines.databaseUrl.replace(/postgres$/, this.unique);
  }

  /** @param {Options} options */
  static async create(options) {
    const landscape = new Landscape(options, await producerOf(options.program));
    try {
      await landscape.start();
      return landscape;
    } catch (error) {
      await landscape.drop();
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
    // The first makes the tables; the others find them.
    await (await this.addReplica()).start();
    await Promise.all(Array.from({ length: replicas - 1 }, async () => (await this.addReplica()).start()));
    for (let n = 0; n < tenants; n++) await this.addTenant(kinds, devices);
  }

  /** Of every service. */
  get commonEnvironment() {
    return {
      KAFKA_BROKERS: this.options.engines.brokers.join(','),
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

  /** @param {readonly import('./history.mjs').Kind[]} kinds @param {number} devices */
  async addTenant(kinds, devices) {
    const accountId = newId();
    const channels = await Promise.all(kinds.map((kind) => this.addChannel(accountId, kind)));
    const { random } = this.options;
    for (let n = 0; n < devices; n++) {
      const own =
        n < channels.length ? [/** @type {string} */ (channels[n])] : channels.filter(() => random.chance(0.6));
      this.load.addDevice({ tenant: accountId, kind: 'values', keyIds: own, channels: own });
    }
    this.load.addDevice({ tenant: accountId, kind: 'sessions', keyIds: [], channels });
    // Names a key of another tenant: that one must not get it.
    const foreign = [...this.customers.values()].find((customer) => customer.accountId !== accountId)?.keyId;
    if (foreign) this.load.addDevice({ tenant: accountId, kind: 'values', keyIds: [...channels, foreign], channels });
  }

  /** @param {string} accountId @param {import('./history.mjs').Kind} kind @returns {Promise<string>} its name */
  async addChannel(accountId, kind) {
    const { random } = this.options;
    const keyId = newId();
    const secret = newSecret(accountId, keyId);
    const customer = { accountId, keyId, secret, key: formatApiKey({ accountId, keyId, secret }) };
    await this.announceKey(customer);
    this.customers.set(keyId, customer);
    this.history.addChannel({ name: keyId, kind, tenant: accountId });
    await this.receiverOf(customer, kind, random.pick(batchSizes));
    return keyId;
  }

  /** @param {Customer} customer @param {import('./history.mjs').Kind} kind @param {number} batchSize */
  async receiverOf(customer, kind, batchSize) {
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
      this.pulls.set(name, new PullReceiver(this.history, name, () => this.anywhere(name)).start());
    }
  }

  /** @param {Customer} customer @param {Partial<import('@lanyard/contracts').AccessKeyChanged>} [fields] */
  async announceKey({ accountId, keyId, secret }, fields = {}) {
    await this.producer.send(AccessKeys, {
      keyId,
      accountId,
      hash: hashSecret(secret),
      groups: [],
      permissions: ['notifications'],
      tier: 'commercial',
      status: 'active',
      revision: ++this.revision,
      changedAt: new Date().toISOString(),
      ...fields,
    });
  }

  /** Receivers of all kinds. @returns {Receiver[]} */
  get receivers() {
    return [...this.callbacks.values(), ...this.sockets.values(), ...this.pulls.values()];
  }

  /** One that runs, as a load balancer would choose. */
  anyReplica() {
    const running = this.replicas.filter(({ isRunning, isStopped }) => isRunning && !isStopped);
    const all = running.length > 0 ? running : this.replicas;
    return /** @type {Replica} */ (all[Math.floor(Math.random() * all.length)]);
  }

  /** @param {string} channel */
  anywhere(channel) {
    const replica = this.anyReplica();
    return { url: replica.url, headers: this.identity(channel, replica) };
  }

  /** What the gateway says about the caller, by the same clock. @param {string} channel @param {Replica} replica @returns {Record<string, string>} */
  identity(channel, replica) {
    const { accountId, keyId } = /** @type {Customer} */ (this.customers.get(channel));
    const identity = {
      accountId,
      keyId,
      groups: [],
      permissions: ['notifications'],
      tier: /** @type {const} */ ('commercial'),
      requestId: newId(),
    };
    return { [identityHeader]: signIdentity(identity, 'dispatcher', signingKey, Date.now() + replica.shiftMs) };
  }

  /**
   * @param {string} channel @param {string} method @param {string} path @param {unknown} [body] @param {Replica} [replica]
   */
  async call(channel, method, path, body, replica = this.anyReplica()) {
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

  /** Tries again after 503, as clients do. @param {string} channel @param {string} method @param {string} path @param {unknown} [body] */
  async mustCall(channel, method, path, body) {
    const answer = await whenAvailable(() => this.call(channel, method, path, body));
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`);
    return answer;
  }

  /** Tells Kafka that a replica which was killed is no member any more. @param {Replica} replica */
  async evict({ name }) {
    const groups = sources.map(({ name: topic }) => `${this.unique}.dispatcher.${topic}`);
    await evict(this.kafka, /** @type {string} */ (this.options.engines.brokers[0]), groups, name).catch(
      () => undefined,
    );
  }

  /** Another connection, which knows what is new on the cluster. */
  async renewProducer() {
    const next = new this.Producer(this.kafka, { source: 'faults', now: () => Date.now() + this.load.shiftMs });
    await next.connect();
    const before = this.producer;
    this.producer = this.load.producer = next;
    await before.disconnect();
  }

  /** Its clock is wrong by so much. @param {number} shiftMs */
  async addProducer(shiftMs) {
    const producer = new this.Producer(this.kafka, { source: 'faults', now: () => Date.now() + shiftMs });
    await producer.connect();
    this.producers.push(producer);
    return producer;
  }

  /** @param {string} topic */
  async endOf(topic) {
    const offsets = await this.kafka.offsets(topic);
    return [...offsets.values()].reduce((sum, { high }) => sum + Number(high), 0);
  }

  /** Events that Kafka has more than once. */
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
    for (const receiver of this.receivers) receiver.stop();
    await Promise.all(this.replicas.map((replica) => replica.drop()));
    for (const producer of [this.producer, ...this.producers]) await producer.disconnect().catch(() => undefined);
    await this.kafka.close().catch(() => undefined);
    await this.sql(`DROP DATABASE IF EXISTS ${this.unique} WITH (FORCE)`).catch(() => undefined);
  }

  /** A session of PostgreSQL, for who ends it. */
  async session() {
    const client = new pg.Client({ connectionString: this.options.engines.databaseUrl });
    client.on('error', () => undefined);
    await client.connect();
    return client;
  }

  /** @param {string} statement */
  async sql(statement) {
    const client = await this.session();
    try {
      await client.query(statement);
    } finally {
      await client.end();
    }
  }
}
