import {
  AccessAccounts,
  type AccessAccountChanged,
  AccessKeys,
  type AccessKeyChanged,
  DeviceCommandResults,
  DeviceCommands,
  DeviceContacts,
  type DeviceCredentialChanged,
  DeviceCredentials,
  DeviceEvents,
  DeviceLifecycle,
  type DeviceLifecycleChanged,
  type DeviceModelChanged,
  DeviceModels,
  DeviceSessions,
  DeviceValues,
  SubscriptionsState,
  type Topic,
} from '@lanyard/contracts';
import { KafkaConnection, KafkaProducer, Outbox, outboxProducer, OutboxRelay, StateReader } from '@lanyard/kafka';
import {
  exitOnFatal,
  openDatabase,
  reached,
  type RedisClient,
  redisClient,
  redisHosts,
  type ServiceParts,
} from '@lanyard/service';
import type { DataSource } from 'typeorm';
import type { DeviceProxyConfig } from './config.js';
import { databaseOf, schema } from './database.js';
import { paceMs } from './db/pace.js';
import { type DirectoryEntry, directoryEntry } from './intake/device-directory.js';

/** Longer than any script takes; a dropped connection must not hang a device's answer. */
const redisTimeoutMs = 5_000;

/** Connections to Kafka, PostgreSQL and Redis, and the copies of what other services announce. */
export interface Engines {
  dataSource: DataSource;
  redis: RedisClient;
  /** A connection that listens can do nothing else. */
  redisSubscriber: RedisClient;
  producer: KafkaProducer;
  outbox: Outbox;
  relay: OutboxRelay;
  lifecycle: StateReader<DeviceLifecycleChanged, DirectoryEntry>;
  keys: StateReader<AccessKeyChanged>;
  accounts: StateReader<AccessAccountChanged>;
  credentials: StateReader<DeviceCredentialChanged>;
  /** Object definitions of accounts. */
  models: StateReader<DeviceModelChanged>;
  close(): Promise<void>;
}

const openRedis = (url: string, parts: ServiceParts, commandTimeout?: number): RedisClient => {
  const redis = redisClient(url, {
    ...(commandTimeout !== undefined && { commandTimeout }),
    maxRetriesPerRequest: 2,
    retryStrategy: (attempt) => Math.min(attempt * 100, 1_000),
  });
  redis.on('error', (error: Error) => parts.logger.warn({ err: error }, 'Redis connection'));
  return redis;
};

export const openEngines = async (config: DeviceProxyConfig, parts: ServiceParts): Promise<Engines> => {
  const { app, replicaId, kafka, secrets } = config;
  const { logger, metrics } = parts;
  const dataSource = await openDatabase(databaseOf(config));
  const connection = new KafkaConnection({ ...kafka, clientId: replicaId, logger, metrics });
  await connection.ensureTopics([
    DeviceSessions,
    DeviceValues,
    DeviceCommands,
    DeviceCommandResults,
    SubscriptionsState,
    DeviceModels,
    DeviceContacts,
  ]);
  await connection.ensureTopics([DeviceLifecycle, AccessKeys, AccessAccounts, DeviceCredentials, DeviceEvents]);
  const producer = new KafkaProducer(connection, { source: app, paceMs });
  // Beside the one for values: Kafka takes what is announced from one replica, and values from each.
  const announcer = new KafkaProducer(connection, { source: app, name: outboxProducer(schema) });
  await Promise.all([producer.connect(), announcer.connect()]);
  const whole = <V>(topic: Topic<V>): StateReader<V> =>
    new StateReader<V>(connection, topic, { project: (value) => value, onFatal: exitOnFatal });
  const redis = openRedis(secrets.redisUrl, parts, redisTimeoutMs);
  const redisSubscriber = openRedis(secrets.redisUrl, parts);
  await reached('Redis', redisHosts(secrets.redisUrl), redis.ping());
  const relay = new OutboxRelay({ databaseUrl: secrets.databaseUrl, schema, producer: announcer, logger, metrics });

  parts.health.add('postgresql', async () => void (await dataSource.query('SELECT 1')));
  parts.health.add('kafka', () => connection.check());
  parts.health.add('redis', async () => void (await redis.ping()));

  const engines = {
    dataSource,
    redis,
    redisSubscriber,
    producer,
    outbox: new Outbox(schema, app),
    relay,
    lifecycle: new StateReader(connection, DeviceLifecycle, { project: directoryEntry, onFatal: exitOnFatal }),
    keys: whole(AccessKeys),
    accounts: whole(AccessAccounts),
    credentials: whole(DeviceCredentials),
    models: whole(DeviceModels),
  };
  const close = async (): Promise<void> => {
    await relay.stop();
    const { lifecycle, keys, accounts, credentials, models } = engines;
    await Promise.all([lifecycle, keys, accounts, credentials, models].map((reader) => reader.stop()));
    await Promise.all([producer.disconnect(), announcer.disconnect()]);
    await connection.close();
    redis.disconnect();
    redisSubscriber.disconnect();
    await dataSource.destroy();
  };
  return { ...engines, close };
};
