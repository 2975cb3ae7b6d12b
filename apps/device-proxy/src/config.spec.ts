import { expect, it } from '@jest/globals';
import { newIdentityKeys } from '@lanyard/testing';
import { readConfig } from './config.js';

const minimal = {
  KAFKA_BROKERS: 'k:9092',
  DATABASE_URL: 'postgres://x',
  REDIS_URL: 'redis://x',
  ...newIdentityKeys().serviceEnv,
  ENCRYPTION_KEY: Buffer.alloc(32).toString('base64'),
  DEVICE_PROXY_COAP_NOSEC_ENABLED: 'true',
  DEVICE_PROXY_COAP_NOSEC_ACCOUNT_ID: 'a'.repeat(32),
  DEVICE_PROXY_COAP_DTLS_ENABLED: 'true',
  DEVICE_PROXY_CAMPAIGNS_URLS: 'http://c1:80, http://c2/',
};

it('takes the URLs of the replicas of campaigns', () => {
  expect(readConfig(minimal).campaignsUrls).toEqual(['http://c1:80', 'http://c2/']);
});

it.each([
  ['DEVICE_PROXY_CAMPAIGNS_URLS', 'ftp://c'],
  ['DEVICE_PROXY_CAMPAIGNS_URLS', 'http://c1, http://c2/base'],
  ['DEVICE_PROXY_COAP_RECEIVE_BUFFER_BYTES', '4294967296'],
  ['DEVICE_PROXY_COAP_DTLS_RECEIVE_BUFFER_BYTES', '4294967296'],
])('refuses %s=%s by name', (name, value) => {
  expect(() => readConfig({ ...minimal, [name]: value })).toThrow(name);
});
