import { describe, expect, it } from '@jest/globals';
import { AddressGuard } from '../callback-client/address-guard.js';
import { checkCallback } from './callback-rules.js';

const guard = new AddressGuard();
const check =
  (url: string, headers: Record<string, string> = {}) =>
  (): void =>
    checkCallback({ url, headers }, guard);

describe('a callback', () => {
  it.each([
    ['https', 'https://app.example/hook'],
    ['http, with a port and a query', 'http://app.example:8080/hook?a=1'],
  ])('may use %s', (_, url) => {
    expect(check(url, { authorization: 'secret-1', 'X-Own': 'a b' })).not.toThrow();
  });

  it.each([
    ['no URL', 'hook', 'CALLBACK_URL_INVALID'],
    ['another scheme', 'ftp://app.example/', 'CALLBACK_URL_INVALID'],
    ['a user name', 'https://me:secret@app.example/', 'CALLBACK_URL_INVALID'],
    ['a port of the system', 'http://app.example:22/', 'CALLBACK_URL_INVALID'],
    ['a private address', 'http://192.168.0.1/', 'CALLBACK_URL_FORBIDDEN'],
    ['a private address in disguise', 'http://0xa9fea9fe/latest/meta-data', 'CALLBACK_URL_FORBIDDEN'],
    ['loopback', 'https://[::1]/', 'CALLBACK_URL_FORBIDDEN'],
  ])('may not use %s', (_, url, token) => {
    expect(check(url)).toThrow(expect.objectContaining({ token, status: 400 }));
  });

  it.each([
    ['a line break in a value', { 'x-a': 'b\r\nx-c: d' }],
    ['a blank in a name', { 'x a': 'b' }],
    ['letters beyond ASCII', { 'x-a': 'ü' }],
    ['Host', { Host: 'other.example' }],
    ['Content-Length', { 'content-length': '0' }],
    ['X-Forwarded-For', { 'X-Forwarded-For': '10.0.0.1' }],
    ['a cloud header', { 'metadata-flavor': 'Google' }],
  ])('may not set %s', (_, headers) => {
    expect(check('https://app.example/', headers as Record<string, string>)).toThrow(
      expect.objectContaining({ token: 'CALLBACK_HEADERS_INVALID' }),
    );
  });

  it('has 400 characters for URL and headers together', () => {
    const url = 'https://app.example/';
    const value = 'x'.repeat(400 - url.length - 'x-a'.length);
    expect(check(url, { 'x-a': value })).not.toThrow();
    expect(check(url, { 'x-a': `${value}x` })).toThrow(expect.objectContaining({ token: 'CALLBACK_TOO_LONG' }));
  });
});
