import {
  AccessKeys,
  type AccessKeyChanged,
  ChannelsDrops,
  ChannelsState,
  DeviceCommandResults,
  DeviceEvents,
  DeviceSessions,
  DeviceValues,
} from '@lanyard/contracts';
import { KafkaConnection, KafkaProducer, Outbox, outboxProducer, OutboxRelay, StateReader } from '@lanyard/kafka';
import { exitOnFatal, openDatabase, type ServiceParts } from '@lanyard/service';
import type { DataSource } from 'typeorm';
import { type KeyRecord, keyRecord } from './keys/key-directory.js';
import type { DispatcherConfig } from './config.js';
import { Arrivals } from './intake/arrivals.js';
import { Keys } from './queue/keys.js';
import { RedisLink } from './queue/redis-link.js';
import { SharedClock } from './queue/shared-clock.js';
import { databaseOf, schema } from './db/database.js';

/** Topics whose items end up in queues. */
export const sources = [DeviceSessions, DeviceValues, DeviceCommandResults] as const;

/** Connections to PostgreSQL, Kafka and Redis. */
export interface Engines {
  database: DataSource;
  kafka: KafkaConnection;
  link: RedisLink;
  /** Appends have their own connection: a large batch on its way out does not hold them up. */
  intakeLink: RedisLink;
  /** The time of what is stored in Redis. */
  clock: SharedClock;
  arrivals: Arrivals;
  outbox: Outbox;
  relay: OutboxRelay;
  accessKeys: StateReader<AccessKeyChanged, KeyRecord>;
  close(): Promise<void>;
}

export const openEngines = async (config: DispatcherConfig, parts: ServiceParts): Promise<Engines> => {
  const { app, replicaId, secrets } = config;
  const { logger, metrics, health } = parts;
  const database = await openDatabase(databaseOf(config));
  const kafka = new KafkaConnection({ ...config.kafka, clientId: replicaId, logger, metrics });
  await kafka.ensureTopics([...sources, AccessKeys, ChannelsState, ChannelsDrops, DeviceEvents]);
  const producer = new KafkaProducer(kafka, { source: app, name: outboxProducer(schema) });
  await producer.connect();
  const relay = new OutboxRelay({ databaseUrl: secrets.databaseUrl, schema, producer, logger, metrics });
  const accessKeys = new StateReader(kafka, AccessKeys, { project: keyRecord, onFatal: exitOnFatal });
  const [link, intakeLink] = await Promise.all([
    RedisLink.open(secrets.redisUrl, logger),
    RedisLink.open(secrets.redisUrl, logger),
  ]);
  const clock = new SharedClock(parts.clock, link, new Keys(config.redisPrefix, config.queueShards).shardCount);
  await clock.start();
  const topics = sources.map(({ name }) => name);
  const arrivals = new Arrivals(kafka, topics, clock, logger);
  await arrivals.start();
  health.add('postgresql', async () => void (await database.query('SELECT 1')));
  health.add('kafka', () => kafka.check());
  health.add('redis', async () => void (await link.redis.ping()));
  const close = async (): Promise<void> => {
    arrivals.stop();
    await relay.stop();
    await accessKeys.stop();
    await producer.disconnect();
    await kafka.close();
    clock.stop();
    link.close();
    intakeLink.close();
    await database.destroy();
  };
  return {
    database,
    kafka,
    link,
    intakeLink,
    clock,
    arrivals,
    outbox: new Outbox(schema, app),
    relay,
    accessKeys,
    close,
  };
};
