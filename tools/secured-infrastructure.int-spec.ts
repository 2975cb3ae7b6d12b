import { once } from 'node:events';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { connect as connectTls } from 'node:tls';
import { inspect } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DeviceModels } from '@lanyard/contracts';
import { KafkaConnection, KafkaProducer, OutboxRelay, outboxTable, StateReader } from '@lanyard/kafka';
import {
  createLogger,
  env,
  openDatabase,
  redisClient,
  redisUrl,
  serviceConfig,
  type ServiceConfig,
} from '@lanyard/service';
import { certificateAuthority, eventually, newIdentityKeys } from '@lanyard/testing';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { restoreBackup, writeBackup } from './backup/backup-file.ts';
import { connect } from './backup/database.ts';
import { installation } from './backup/installation.ts';
import { removeData } from './lanyard/infrastructure-processes.ts';
import { aclsOfKafkaUser } from './lanyard/kafka-user.ts';
import { infrastructureFolder } from './lanyard/project.ts';
import { password, startSecuredInfrastructure, user } from './lanyard/secured-infrastructure.ts';

const logger = createLogger({ app: 'test', replicaId: 'test', level: 'silent' });
const folder = mkdtempSync(join(infrastructureFolder(), '../test-secured-'));
let infrastructure: Awaited<ReturnType<typeof startSecuredInfrastructure>>;
let anotherCaFile: string;

beforeAll(async () => {
  infrastructure = await startSecuredInfrastructure(folder);
  const brokers = [infrastructure.internalBroker];
  const internal = new KafkaConnection({ brokers, topicPrefix: '', clientId: 'acl', logger });
  const admin = internal.kafka.admin();
  await admin.connect();
  await admin.createAcls({ acl: aclsOfKafkaUser(`User:${user}`) });
  await admin.disconnect();
  anotherCaFile = join(folder, 'another-ca.pem');
  writeFileSync(anotherCaFile, certificateAuthority('another').certificate);
});
afterAll(async () => {
  await infrastructure?.stop();
  removeData(folder);
});

type Config = ServiceConfig & { secrets: { redisUrl: string } };

/** As a service with these variables has it; undefined leaves one out. */
const configOf = (changes: Record<string, string | undefined> = {}): Config => {
  const reader = env({ ...infrastructure.env, ...newIdentityKeys().serviceEnv, ...changes });
  const service = serviceConfig(reader, 'test');
  return { ...service, secrets: { ...service.secrets, redisUrl: redisUrl(reader) } };
};

const connectionOf = ({ kafka }: Config, log = logger): KafkaConnection =>
  new KafkaConnection({ ...kafka, clientId: 'test', logger: log, partitions: 1 });

class Initial1795392000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(outboxTable);
  }

  async down(): Promise<void> {}
}

const databaseOf = (config: Config): ReturnType<typeof openDatabase> =>
  openDatabase({
    url: config.secrets.databaseUrl,
    schema: 'secured',
    entities: [],
    migrations: [Initial1795392000000],
    applicationName: 'test',
  });

const redisOf = ({ secrets }: Config): ReturnType<typeof redisClient> => {
  const redis = redisClient(secrets.redisUrl, { maxRetriesPerRequest: 1, retryStrategy: () => 50 });
  redis.on('error', () => undefined);
  return redis;
};

const model = { accountId: '0'.repeat(32), objectId: 3303, version: '1.1' };

describe('Kafka with TLS and SASL', () => {
  it.each(['scram-sha-512', 'plain'])('is written and read with %s and a client certificate', async (mechanism) => {
    const connection = connectionOf(configOf({ KAFKA_SASL_MECHANISM: mechanism, KAFKA_TOPIC_PREFIX: `${mechanism}.` }));
    await connection.ensureTopics([DeviceModels]);
    await connection.check();
    const producer = new KafkaProducer(connection, { source: 'test' });
    await producer.connect();
    await producer.sendEncoded({ name: DeviceModels.name }, { key: 'k', value: null, headers: {} });
    const reader = new StateReader(connection, DeviceModels, { project: () => model, onFatal: () => undefined });
    await reader.start();
    const [offsets] = (await connection.offsets(DeviceModels.name)).values();
    expect(offsets).toEqual({ low: 0n, high: 1n });
    await reader.stop();
    await producer.disconnect();
    await connection.close();
  });

  it.each([
    [
      'a broker whose issuer we do not trust',
      /self.signed certificate|unable to verify/,
      () => ({ KAFKA_TLS_CA_FILE: anotherCaFile }),
    ],
    ['a wrong password', /SASL SCRAM SHA512 authentication failed/, () => ({ KAFKA_SASL_PASSWORD: 'wrong' })],
  ])('refuses %s', async (_, reason, changes) => {
    const said: string[] = [];
    const note = (details: object, text: string): void => void said.push(`${text} ${JSON.stringify(details)}`);
    const noting = Object.assign(Object.create(logger), { warn: note, error: note });
    const connection = connectionOf(configOf(changes()), noting);
    const admin = connection.kafka.admin();
    // It tries again for some time, and would after that still have failed.
    admin.connect().catch(() => undefined);
    await eventually(() => said.some((text) => reason.test(text)));
    expect(said.join()).not.toContain(password);
    await admin.disconnect();
  });
});

it('announces and consumes as a service does, with no more rights than the KafkaUser of the manifests', async () => {
  const connection = connectionOf(configOf({ KAFKA_TOPIC_PREFIX: 'consumed.' }));
  await connection.ensureTopics([DeviceModels]);
  await connection.ensureDeadLetters(DeviceModels.name, 'test');
  const producer = new KafkaProducer(connection, { source: 'test', name: 'test.outbox' });
  await producer.connect();
  await producer.takeOver();
  await producer.sendEncoded({ name: DeviceModels.name }, { key: 'k', value: Buffer.from('v'), headers: {} });
  const consumer = connection.kafka.consumer({ groupId: 'consumed.test' });
  await consumer.connect();
  await consumer.subscribe({ topic: connection.topicName(DeviceModels.name), fromBeginning: true });
  const seen: string[] = [];
  await consumer.run({ eachMessage: async ({ message }) => void seen.push(String(message.value)) });
  await eventually(() => seen.includes('v'));
  await consumer.disconnect();
  await connection.deleteGroup('consumed.test');
  await producer.disconnect();
  const admin = connection.kafka.admin();
  await admin.connect();
  await expect(admin.deleteTopics({ topics: [connection.topicName(DeviceModels.name)] })).rejects.toThrow();
  await admin.disconnect();
  await connection.close();
});

it('the broker rejects clients without a certificate: ours was presented above', async () => {
  const { KAFKA_BROKERS: broker, KAFKA_TLS_CA_FILE: ca } = infrastructure.env;
  const [, port] = broker.split(':');
  const socket = connectTls({ host: 'localhost', port: Number(port), ca: readFileSync(ca) });
  const [error] = await once(socket.resume(), 'close').then(
    () => [undefined],
    (failure: Error) => [failure],
  );
  expect(error?.message).toMatch(/certificate required|bad certificate/);
});

describe('PostgreSQL with TLS', () => {
  it('is migrated and relayed from over TLS', async () => {
    const config = configOf({ KAFKA_TOPIC_PREFIX: 'relay.' });
    const database = await databaseOf(config);
    const [{ ssl }] = await database.query('SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()');
    expect(ssl).toBe(true);
    const sent: string[] = [];
    const relay = new OutboxRelay({
      databaseUrl: config.secrets.databaseUrl,
      schema: 'secured',
      producer: { sendEncoded: async (_topic, message) => void sent.push(message.key) },
      logger,
    });
    relay.start();
    await database.transaction((manager) =>
      manager.query(
        `INSERT INTO secured.outbox_messages (topic, message_key, value, headers) VALUES ('t', 'k', NULL, '{}'::jsonb)`,
      ),
    );
    await eventually(() => sent.length === 1);
    await relay.stop();
    await database.destroy();
  });

  it.each([
    ['a server whose issuer we do not trust', () => ({ DATABASE_TLS_CA_FILE: anotherCaFile })],
    ['to speak without TLS', () => ({ DATABASE_TLS_ENABLED: '', DATABASE_TLS_CA_FILE: '' })],
    [
      'a server that has no certificate for the name',
      () => ({ DATABASE_URL: infrastructure.env.DATABASE_URL.replace('localhost', 'localhost.localdomain') }),
    ],
  ])('refuses %s', async (_, changes) => {
    await expect(databaseOf(configOf(changes()))).rejects.toThrow();
  });
});

describe('Redis with TLS and an ACL user', () => {
  it('is spoken to over TLS as that user', async () => {
    const redis = redisOf(configOf());
    expect(await redis.call('ACL', 'WHOAMI')).toBe('lanyard');
    redis.disconnect();
  });

  it.each([
    ['a server whose issuer we do not trust', () => ({ REDIS_TLS_CA_FILE: anotherCaFile })],
    ['a wrong password', () => ({ REDIS_URL: infrastructure.env.REDIS_URL.replace(/:[^:@]+@/, ':wrong@') })],
  ])('refuses %s', async (_, changes) => {
    const redis = redisOf(configOf(changes()));
    await expect(redis.get('a')).rejects.toThrow();
    redis.disconnect();
  });
});

it('is backed up and restored over TLS, by a user who is no superuser', async () => {
  const administrator = await connect(configOf().secrets.databaseUrl);
  await administrator.query(`CREATE ROLE keeper LOGIN PASSWORD 'kept'`);
  await administrator.query('CREATE DATABASE kept OWNER keeper');
  await administrator.end();
  const url = new URL(infrastructure.env.DATABASE_URL);
  const DATABASE_URL = `postgres://keeper:kept@${url.host}/kept`;
  const kept = installation({ ...infrastructure.env, DATABASE_URL, KAFKA_TOPIC_PREFIX: 'kept.' });
  const client = await connect(kept.databaseUrl);
  await client.query(`CREATE SCHEMA registry;
    CREATE TABLE registry.devices (id int PRIMARY KEY, parent int REFERENCES registry.devices);
    CREATE TABLE registry.credentials (device int REFERENCES registry.devices);
    INSERT INTO registry.devices SELECT n, nullif((n + 1) % 1500, 0) FROM generate_series(0, 1499) n;
    INSERT INTO registry.credentials VALUES (1499)`);
  const file = join(folder, 'a.backup');
  const written = await writeBackup(kept, file);
  expect(written.tables).toEqual({ 'registry.credentials': 1, 'registry.devices': 1500 });
  await client.query('UPDATE registry.devices SET parent = NULL; DELETE FROM registry.credentials');
  const restored = await restoreBackup(kept, file, { overwrite: true });
  expect(restored.tables).toEqual(written.tables);
  const { rows } = await client.query('SELECT count(parent)::int AS parents FROM registry.devices');
  expect(rows).toEqual([{ parents: 1499 }]);
  await expect(client.query('INSERT INTO registry.credentials VALUES (1501)')).rejects.toThrow(/foreign key/);
  await client.end();
});

it('nothing of it is shown by printing the configuration without its secrets', () => {
  const { secrets, ...shown } = configOf();
  expect(secrets.databaseUrl).toContain(encodeURIComponent('p/w'));
  for (const text of [inspect(shown, { depth: 9, showHidden: true }), JSON.stringify(shown)]) {
    expect(text).not.toContain(password);
    expect(text).not.toContain('PRIVATE KEY');
  }
});
