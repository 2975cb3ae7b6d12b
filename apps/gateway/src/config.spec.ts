import { describe, expect, it } from '@jest/globals';
import { newIdentityKeys } from '@lanyard/testing';
import { readConfig } from './config.js';

const minimal = {
  KAFKA_BROKERS: 'k:9092',
  DATABASE_URL: 'postgres://x',
  REDIS_URL: 'redis://x',
  ...newIdentityKeys().gatewayEnv,
  GATEWAY_REGISTRY_URLS: 'http://r1:80, http://r2:80',
  GATEWAY_DEVICE_PROXY_URLS: 'http://p',
  GATEWAY_SNAPSHOT_URLS: 'http://s',
  GATEWAY_EVENT_LOG_URLS: 'http://e',
  GATEWAY_DISPATCHER_URLS: 'http://d',
  GATEWAY_CAMPAIGNS_URLS: 'http://c',
};

describe('configuration', () => {
  it('reads and defaults', () => {
    expect(readConfig(minimal)).toMatchObject({
      replicas: { registry: ['http://r1:80', 'http://r2:80'], 'device-proxy': ['http://p'] },
      firstStart: { tier: 'commercial', autoCreateDevices: false },
      keyRate: { perSecond: 500, burst: 1_000 },
      redisPrefix: 'gateway:',
      corsOrigins: [],
      trustedProxies: 0,
    });
  });

  it('takes origins of web pages and of applications', () => {
    const corsOrigins = ['https://app.example', 'http://localhost:5173', 'capacitor://localhost', 'null', '*'];
    expect(readConfig({ ...minimal, GATEWAY_CORS_ORIGINS: corsOrigins.join(', ') })).toMatchObject({ corsOrigins });
  });

  it.each([
    ['GATEWAY_EVENT_LOG_URLS', ''],
    ['GATEWAY_DEVICE_PROXY_URLS', 'ftp://x'],
    ['GATEWAY_REGISTRY_URLS', 'http://r1, http://r2/base'],
    ['GATEWAY_FIRST_ACCOUNT_ID', 'ABC'],
    ['GATEWAY_FIRST_ACCOUNT_TIER', 'gold'],
    ['GATEWAY_KEY_RATE_PER_SECOND', '0'],
    ['GATEWAY_PUBLIC_URL', 'lanyard.example:443'],
    ['GATEWAY_CORS_ORIGINS', 'app.example'],
    ['GATEWAY_CORS_ORIGINS', 'https://app.example/'],
    ['GATEWAY_CORS_ORIGINS', 'https://App.example'],
    ['GATEWAY_CORS_ORIGINS', 'http://app.example, https://app.example:443'],
  ])('refuses %s=%s by name', (name, value) => {
    expect(() => readConfig({ ...minimal, [name]: value })).toThrow(name);
  });
});
