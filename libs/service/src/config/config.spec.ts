import { describe, expect, it } from '@jest/globals';
import { commonConfig } from './common.js';
import { ConfigError, env } from './env.js';

const variableOf = (read: () => unknown): string | undefined => {
  try {
    read();
  } catch (error) {
    if (error instanceof ConfigError) return error.variable;
  }
  return undefined;
};

const complete = {
  KAFKA_BROKERS: 'a:1, b:2',
  DATABASE_URL: 'postgres://x',
  REDIS_URL: 'redis://x',
  IDENTITY_SECRETS: 'i'.repeat(32),
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
      kafka: { brokers: ['a:1', 'b:2'], topicPrefix: '', minInsyncReplicas: 2 },
    });
    expect(JSON.stringify({ ...config, secrets: undefined })).not.toContain('postgres://');
  });

  it.each(['KAFKA_BROKERS', 'DATABASE_URL', 'REDIS_URL', 'IDENTITY_SECRETS', 'ENCRYPTION_KEY'])(
    'refuses to go on without %s',
    (name) => {
      expect(variableOf(() => commonConfig(env({ ...complete, [name]: '' }), 'x'))).toBe(name);
    },
  );

  it('refuses a short encryption key and short identity secrets', () => {
    expect(variableOf(() => commonConfig(env({ ...complete, ENCRYPTION_KEY: 'AAAA' }), 'x'))).toBe('ENCRYPTION_KEY');
    expect(variableOf(() => commonConfig(env({ ...complete, IDENTITY_SECRETS: 'short' }), 'x'))).toBe(
      'IDENTITY_SECRETS',
    );
  });
});
