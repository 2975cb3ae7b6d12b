import { describe, expect, it } from '@jest/globals';
import { parseRedisUrl } from './redis-address.js';

describe('REDIS_URL', () => {
  it.each([
    ['redis://127.0.0.1', { kind: 'single', hosts: [{ host: '127.0.0.1', port: 6379 }], db: 0 }],
    ['redis://h:1/3', { kind: 'single', hosts: [{ host: 'h', port: 1 }], db: 3 }],
    ['redis://:p%40w@[::1]:6379/0', { kind: 'single', hosts: [{ host: '::1', port: 6379 }], db: 0, password: 'p@w' }],
    [
      'rediss://u:p@h?ca=%2Fa%20b.pem',
      {
        kind: 'single',
        hosts: [{ host: 'h', port: 6379 }],
        db: 0,
        username: 'u',
        password: 'p',
        tls: { ca: '/a b.pem' },
      },
    ],
    [
      'redis+sentinel://u:p@a,b:1/the-master/2?sentinel_password=s',
      {
        kind: 'sentinel',
        hosts: [
          { host: 'a', port: 26_379 },
          { host: 'b', port: 1 },
        ],
        db: 2,
        master: 'the-master',
        username: 'u',
        password: 'p',
        sentinelPassword: 's',
      },
    ],
    [
      'rediss+cluster://a:7000,b:7001',
      {
        kind: 'cluster',
        hosts: [
          { host: 'a', port: 7000 },
          { host: 'b', port: 7001 },
        ],
        db: 0,
        tls: {},
      },
    ],
  ])('%s', (url, address) => expect(parseRedisUrl(url)).toEqual(address));

  it.each([
    'http://h',
    'redis://',
    'redis://h:port',
    'redis://h:0',
    'redis+sentinel://h:65536/m',
    'redis://h/x',
    'redis://a,b',
    'redis+cluster://a/1',
    'redis+sentinel://a',
    'redis+sentinel://a/m/0/x',
    'redis://u:secret@h?unknown=1',
    'redis://u:secret/secret@h',
  ])('refuses %s and shows no secret', (url) => {
    const refusal = (): unknown => parseRedisUrl(url);
    expect(refusal).toThrow();
    expect(refusal).not.toThrow(/secret/);
  });
});
