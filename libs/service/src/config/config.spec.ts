import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { newIdentityKeys } from '@lanyard/testing';
import { commonConfig, databaseConfig, encryptionKey, serviceConfig } from './common.js';
import { ConfigError, env, type EnvReader } from './env.js';
import { identityPrivateKey } from './identity-keys.js';
import { redisUrl } from './redis-url.js';

const variableOf = (read: () => unknown): string | undefined => {
  try {
    read();
  } catch (error) {
    if (error instanceof ConfigError) return error.variable;
  }
  return undefined;
};

const keys = newIdentityKeys();

const complete = {
  KAFKA_BROKERS: 'a:1, b:2',
  DATABASE_URL: 'postgres://x',
  REDIS_URL: 'redis://x',
  ...keys.serviceEnv,
  ...keys.gatewayEnv,
  ENCRYPTION_KEY: Buffer.alloc(32).toString('base64'),
};

describe('environment', () => {
  it('reads typed values and defaults', () => {
    const reader = env({ N: '7', B: 'yes', L: 'a, b,', E: '' });
    expect([reader.int('N'), reader.bool('B'), reader.list('L'), reader.string('E', 'd'), reader.int('M', 3)]).toEqual([
      7,
      true,
      ['a', 'b'],
      'd',
      3,
    ]);
  });

  it.each([
    ['missing', {}, () => env({}).string('X')],
    ['no number', {}, () => env({ X: 'many' }).int('X')],
    ['out of bounds', {}, () => env({ X: '70000' }).int('X', 0, { max: 65_535 })],
    ['no boolean', {}, () => env({ X: 'perhaps' }).bool('X')],
  ])('names the variable when it is %s', (_, __, read) => {
    expect(variableOf(read)).toBe('X');
  });

  it('common configuration keeps secrets in a group of their own', () => {
    const config = commonConfig(env(complete), 'registry');
    expect(config).toMatchObject({
      app: 'registry',
      replicaId: 'registry-0',
      kafka: { brokers: ['a:1', 'b:2'], topicPrefix: '', minInsyncReplicas: 2, replacements: 'all' },
    });
    expect(JSON.stringify({ ...config, secrets: undefined })).not.toContain('postgres://');
  });

  it.each<[string, (reader: EnvReader) => unknown]>([
    ['KAFKA_BROKERS', (reader) => commonConfig(reader, 'x')],
    ['DATABASE_URL', (reader) => commonConfig(reader, 'x')],
    ['IDENTITY_PUBLIC_KEYS', (reader) => serviceConfig(reader, 'x')],
    ['IDENTITY_PRIVATE_KEY', identityPrivateKey],
    ['REDIS_URL', redisUrl],
    ['ENCRYPTION_KEY', encryptionKey],
  ])('refuses to start without %s', (name, read) => {
    expect(read(env(complete))).toBeDefined();
    expect(variableOf(() => read(env({ ...complete, [name]: '' })))).toBe(name);
  });

  it.each<[string, (reader: EnvReader, app: string) => { logLevel: string }]>([
    ['a service', commonConfig],
    ['migrate', databaseConfig],
  ])('of %s refuses a log level that the logger does not have', (_, read) => {
    for (const level of ['silent', 'trace', 'debug'])
      expect(read(env({ ...complete, LOG_LEVEL: level }), 'x').logLevel).toBe(level);
    expect(variableOf(() => read(env({ ...complete, LOG_LEVEL: 'DEBUG' }), 'x'))).toBe('LOG_LEVEL');
  });

  it.each([
    ['KAFKA_BROKERS', 'kafka'],
    ['KAFKA_BROKERS', 'a:1,b'],
    ['KAFKA_BROKERS', 'a:0'],
    ['KAFKA_BROKERS', 'a:65536'],
    ['KAFKA_BROKERS', 'kafka://a:1'],
    ['KAFKA_BROKERS', '[::1]:9092'],
    ['KAFKA_BROKERS', ','],
    ['KAFKA_TOPIC_PREFIX', 'plant 7.'],
    ['KAFKA_TOPIC_PREFIX', 'acme/'],
  ])('refuses %s=%s, with which no service could start', (name, value) => {
    expect(variableOf(() => commonConfig(env({ ...complete, [name]: value }), 'x'))).toBe(name);
  });

  it('takes brokers by name and by address, and each character of a topic in a prefix', () => {
    const source = { ...complete, KAFKA_BROKERS: 'b-1.kafka_2:9096, 10.1.2.3:65535', KAFKA_TOPIC_PREFIX: 'Acme_7-a.' };
    expect(commonConfig(env(source), 'x').kafka).toMatchObject({
      brokers: ['b-1.kafka_2:9096', '10.1.2.3:65535'],
      topicPrefix: 'Acme_7-a.',
    });
  });

  it('refuses a short encryption key', () => {
    expect(variableOf(() => encryptionKey(env({ ...complete, ENCRYPTION_KEY: 'AAAA' })))).toBe('ENCRYPTION_KEY');
  });

  const { IDENTITY_PUBLIC_KEYS: publicKey } = keys.serviceEnv;
  const ofAnotherKind = generateKeyPairSync('x25519').publicKey.export({ format: 'der', type: 'spki' });

  it('takes several public keys for identity tokens', () => {
    const both = env({
      ...complete,
      IDENTITY_PUBLIC_KEYS: `${publicKey},${newIdentityKeys().serviceEnv.IDENTITY_PUBLIC_KEYS}`,
    });
    expect(serviceConfig(both, 'x').secrets.identityKeys).toHaveLength(2);
  });

  it.each([
    ['text', 'short'],
    ['a private key', keys.gatewayEnv.IDENTITY_PRIVATE_KEY],
    ['a key of another kind', ofAnotherKind.toString('base64')],
    ['a good and a bad one', `${publicKey},AAAA`],
  ])('refuses %s as public key, without showing it', (_, value) => {
    const read = (): unknown => serviceConfig(env({ ...complete, IDENTITY_PUBLIC_KEYS: value }), 'x');
    expect(variableOf(read)).toBe('IDENTITY_PUBLIC_KEYS');
    expect(read).not.toThrow(value);
  });

  it('refuses a public key as private key', () => {
    expect(variableOf(() => identityPrivateKey(env({ IDENTITY_PRIVATE_KEY: publicKey })))).toBe('IDENTITY_PRIVATE_KEY');
  });
});
