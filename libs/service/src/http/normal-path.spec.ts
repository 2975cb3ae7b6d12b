import { describe, expect, it } from '@jest/globals';
import { notNormal, originForm } from './normal-path.js';

const encoded = (code: number): string => `%${code.toString(16).padStart(2, '0')}`;

describe('the normal form of a request target', () => {
  it.each([
    '/v3/devices',
    '/v3/devices/',
    '//v3//devices',
    '/v2/endpoints/0a/3/0/1?x=%61/../;',
    '/v3/a%20b',
    '/v3/%C3%A9',
    'http://host/v3/devices',
    'HTTPS://host.example:8443//v3/devices/?x',
    'http://[::1]:8080/v3/devices',
    'http://host',
    'http://host?x=1',
  ])('takes %s', (target) => expect(notNormal(target)).toBeUndefined());

  it.each([
    '/v3/devices/0a/%63redentials',
    '/v3/devices/0a/%2563redentials',
    '/v3/devices/0a/resume#x',
    '/v3/devices?x#y',
    '/v3/devices;x',
    '/v3\\devices',
    '/v3/./devices',
    '/v3/device-groups/../devices',
    '/v3/..',
    '/v3/%2e%2e/devices',
    '/v3/devices%2F0a',
    '/v3/é',
    'http://host/v3/devices/0a/%63redentials',
    'http://host/v3/./devices',
    'http://host/v3/devices#x',
    'http://host#x',
    'http://user@host/v3/devices',
    'http:///v3/devices',
    'ftp://host/v3/devices',
    'host:443',
    '*',
  ])('refuses %s', (target) => expect(notNormal(target)?.fields).toEqual([expect.objectContaining({ name: 'url' })]));

  it.each([
    ['http://host/v3/devices?x=http://y', '/v3/devices?x=http://y'],
    ['http://host', '/'],
    ['http://host?x', '/?x'],
    ['/http://host/v3', '/http://host/v3'],
    ['//host/v3', '//host/v3'],
  ])('the origin form of %s is %s', (target, form) => expect(originForm(target)).toBe(form));

  it('refuses every encoded byte that a plain spelling or a separator has, in both cases, and no other', () => {
    for (let code = 0; code < 256; code++) {
      const isPlain = /[\w\-.~]/.test(String.fromCharCode(code)) && code < 128;
      const isRefused = isPlain || code < 32 || code === 127 || '/\\%#?;'.includes(String.fromCharCode(code));
      for (const text of [encoded(code), encoded(code).toUpperCase()])
        expect([text, notNormal(`/v3/${text}`) !== undefined]).toEqual([text, isRefused]);
    }
  });
});
