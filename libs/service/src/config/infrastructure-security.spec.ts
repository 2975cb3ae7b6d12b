import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { certificateAuthority } from '@lanyard/testing';
import { databaseUrl } from './database-url.js';
import { ConfigError, env } from './env.js';
import { kafkaSecurity } from './kafka-security.js';
import { redisUrl, requireOneSlot } from './redis-url.js';

const folder = mkdtempSync(join(tmpdir(), 'lanyard-'));
afterAll(() => rmSync(folder, { recursive: true }));

const file = (name: string, text: string): string => {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
};
const authority = certificateAuthority('ca');
const ca = file('ca.pem', `some words\n${authority.certificate}`);
const certificate = file('own.pem', authority.certificate);
const privateKey = file('own.key', authority.privateKey);
const otherKey = file('other.key', certificateAuthority('other').privateKey);

/** The variable that is complained about. */
const complaint = (read: () => unknown): string => {
  try {
    return `none: ${String(read())}`;
  } catch (error) {
    if (error instanceof ConfigError) return error.variable;
    throw error;
  }
};

describe('DATABASE_URL', () => {
  const url = 'postgres://u:p%2Fw@db.example:5432/lanyard';

  it('stays as it is without TLS', () => expect(databaseUrl(env({ DATABASE_URL: url }))).toBe(url));

  it('carries what the driver needs to verify certificate and name', () => {
    const files = { DATABASE_TLS_CERTIFICATE_FILE: certificate, DATABASE_TLS_PRIVATE_KEY_FILE: privateKey };
    const tls = { DATABASE_TLS_ENABLED: 'true', DATABASE_TLS_CA_FILE: ca, ...files };
    const made = new URL(databaseUrl(env({ DATABASE_URL: url, ...tls })));
    expect(Object.fromEntries(made.searchParams)).toEqual({
      sslmode: 'verify-full',
      sslrootcert: ca,
      sslcert: certificate,
      sslkey: privateKey,
    });
    expect(made.href.startsWith(url)).toBe(true);
  });

  it.each([
    ['DATABASE_TLS_ENABLED', { DATABASE_TLS_CA_FILE: ca }],
    ['DATABASE_TLS_CA_FILE', { DATABASE_TLS_ENABLED: 'true', DATABASE_TLS_CA_FILE: '/not/there' }],
    ['DATABASE_TLS_CA_FILE', { DATABASE_TLS_ENABLED: 'true', DATABASE_TLS_CA_FILE: privateKey }],
    ['DATABASE_TLS_PRIVATE_KEY_FILE', { DATABASE_TLS_ENABLED: 'true', DATABASE_TLS_CERTIFICATE_FILE: certificate }],
    [
      'DATABASE_TLS_PRIVATE_KEY_FILE',
      {
        DATABASE_TLS_ENABLED: 'true',
        DATABASE_TLS_CERTIFICATE_FILE: certificate,
        DATABASE_TLS_PRIVATE_KEY_FILE: otherKey,
      },
    ],
    ['DATABASE_URL', { DATABASE_TLS_ENABLED: 'true', DATABASE_URL: `${url}?sslmode=require` }],
    ['DATABASE_URL', { DATABASE_TLS_ENABLED: 'true', DATABASE_URL: 'postgres://u@127.0.0.1/x' }],
  ])('complains about %s', (variable, changes) => {
    expect(complaint(() => databaseUrl(env({ DATABASE_URL: url, ...changes })))).toBe(variable);
  });

  it.each([
    'postgres://u:secret#1@db.example/lanyard',
    'postgres://u:secret/1@db.example/lanyard',
    'postgres://u:50%secret@db.example/lanyard',
    'postgres://u:secret@db.example:port/lanyard',
  ])('is refused, and not shown, when it is %s', (malformed) => {
    const read = (): unknown => databaseUrl(env({ DATABASE_URL: malformed }));
    expect(complaint(read)).toBe('DATABASE_URL');
    expect(read).not.toThrow(/secret/);
  });

  it.each([
    'postgres://db.example',
    'postgres:///lanyard',
    'postgres://u:p@/lanyard?host=/run/postgresql',
    'postgres://u:50%25@[::1]:5432/lanyard',
    '/run/postgresql lanyard',
  ])('may be %s, which the driver takes', (taken) => {
    expect(databaseUrl(env({ DATABASE_URL: taken }))).toBe(taken);
  });
});

describe('KAFKA_…', () => {
  it('neither TLS nor SASL by default', () => {
    const { tls, login } = kafkaSecurity(env({}));
    expect([tls, login]).toEqual([undefined, undefined]);
  });

  it('reads a bundle and a login', () => {
    const { tls, login } = kafkaSecurity(
      env({
        KAFKA_TLS_ENABLED: 'true',
        KAFKA_TLS_CA_FILE: ca,
        KAFKA_SASL_MECHANISM: 'SCRAM-SHA-512',
        KAFKA_SASL_USERNAME: 'u',
        KAFKA_SASL_PASSWORD: 'p',
      }),
    );
    expect(tls?.ca).toContain(authority.certificate);
    expect(login).toEqual({ mechanism: 'scram-sha-512', username: 'u', password: 'p' });
  });

  const login = { KAFKA_SASL_MECHANISM: 'scram-sha-512', KAFKA_SASL_USERNAME: 'u', KAFKA_SASL_PASSWORD: 'p' };
  it.each([
    ['KAFKA_SASL_MECHANISM', { ...login, KAFKA_SASL_MECHANISM: 'plain' }],
    ['KAFKA_SASL_MECHANISM', { ...login, KAFKA_SASL_MECHANISM: 'gssapi' }],
    ['KAFKA_SASL_MECHANISM', { ...login, KAFKA_SASL_MECHANISM: '' }],
    ['KAFKA_SASL_USERNAME', { ...login, KAFKA_SASL_USERNAME: '' }],
    ['KAFKA_SASL_PASSWORD', { ...login, KAFKA_SASL_PASSWORD: '' }],
  ])('complains about %s', (variable, changes) => {
    expect(complaint(() => kafkaSecurity(env(changes)))).toBe(variable);
  });
});

describe('REDIS_URL', () => {
  it('carries its files', () => {
    const url = redisUrl(env({ REDIS_URL: 'redis://h:1/2', REDIS_TLS_ENABLED: 'true', REDIS_TLS_CA_FILE: ca }));
    expect(url).toBe(`rediss://h:1/2?ca=${encodeURIComponent(ca)}`);
  });

  it.each([
    ['REDIS_URL', { REDIS_URL: 'memcached://h' }],
    ['REDIS_TLS_ENABLED', { REDIS_URL: 'redis://h', REDIS_TLS_CA_FILE: ca }],
    ['REDIS_TLS_ENABLED', { REDIS_URL: 'rediss+cluster://h', REDIS_TLS_ENABLED: 'false' }],
  ])('complains about %s', (variable, changes) => {
    expect(complaint(() => redisUrl(env(changes)))).toBe(variable);
  });

  it('on a cluster, scripts over many keys need a hash tag', () => {
    const check = (url: string, prefix: string) => complaint(() => requireOneSlot(url, 'X_PREFIX', prefix));
    expect(check('redis+cluster://a', 'x:')).toBe('X_PREFIX');
    expect(check('redis+cluster://a', '{x}:')).toMatch(/^none/);
    expect(check('redis://a', 'x:')).toMatch(/^none/);
  });
});
