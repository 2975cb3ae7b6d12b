import { AccessAccounts, AccessKeys, DeviceEvents } from '@lanyard/contracts';
import { KafkaConnection, KafkaProducer, Outbox, outboxProducer, OutboxRelay } from '@lanyard/kafka';
import { openDatabase, type RedisClient, redisClient, type ServiceParts } from '@lanyard/service';
import type { DataSource } from 'typeorm';
import { app, type GatewayConfig } from './config.js';
import { databaseOf, schema } from './db/database.js';

export interface Infrastructure {
  database: DataSource;
  outbox: Outbox;
  redis: RedisClient;
  close(): Promise<void>;
}

/** Only counts requests: never waited for longer than a request can bear, and not needed to start. */
const openRedis = (url: string, { logger }: ServiceParts): RedisClient => {
  const redis = redisClient(url, {
    enableOfflineQueue: false,
    enableAutoPipelining: true,
    maxRetriesPerRequest: 0,
    commandTimeout: 250,
    connectTimeout: 2_000,
    retryStrategy: (attempt) => Math.min(attempt * 100, 2_000),
  });
  let quiet = false;
  redis.on('error', (err: unknown) => {
    if (!quiet) logger.warn({ err }, 'Redis is away: each replica counts requests alone');
    quiet = true;
  });
  redis.on('ready', () => (quiet = false));
  return redis;
};

/** Opens what the gateway stands on. Rejects when PostgreSQL or Kafka cannot be reached. */
export const openInfrastructure = async (config: GatewayConfig, parts: ServiceParts): Promise<Infrastructure> => {
  const { logger, metrics } = parts;
  const databaseUrl = config.secrets.databaseUrl;
  const database = await openDatabase(databaseOf(config));
  const kafka = new KafkaConnection({ ...config.kafka, clientId: config.replicaId, logger, metrics });
  await kafka.ensureTopics([AccessKeys, AccessAccounts, DeviceEvents]);
  const producer = new KafkaProducer(kafka, { source: app, name: outboxProducer(schema) });
  await producer.connect();
  const relay = new OutboxRelay({ databaseUrl, schema, producer, logger, metrics });
  relay.start();
  const redis = openRedis(config.secrets.redisUrl, parts);
  return {
    database,
    outbox: new Outbox(schema, app),
    redis,
    close: async () => {
      await relay.stop();
      await producer.disconnect();
      await kafka.close();
      redis.disconnect();
      await database.destroy();
    },
  };
};
