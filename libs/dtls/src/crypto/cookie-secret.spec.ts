import { describe, expect, it } from '@jest/globals';
import { type ClientHello } from '../messages/client-hello.js';
import { CookieSecret } from './cookie-secret.js';

const hello: ClientHello = {
  version: 0xfefd,
  random: Buffer.alloc(32, 1),
  sessionId: Buffer.alloc(0),
  cookie: Buffer.alloc(0),
  cipherSuites: [0xc0a8, 0x00ff],
  extensions: {},
};

const started = () => {
  const clock = { nowMs: 1_000 };
  const secret = new CookieSecret(() => clock.nowMs);
  const answered = { ...hello, cookie: secret.cookie('192.0.2.1', 5684, hello) };
  return { clock, secret, answered };
};

describe('cookies', () => {
  it('are valid from the same address with the same hello', () => {
    const { secret, answered } = started();
    expect(answered.cookie.length).toBe(16);
    expect(secret.isValid('192.0.2.1', 5684, answered)).toBe(true);
    expect(secret.isValid('192.0.2.1', 5684, { ...answered, extensions: { extendedMasterSecret: true } })).toBe(true);
  });

  it.each([
    ['another address', '192.0.2.2', 5684, {}],
    ['another port', '192.0.2.1', 5685, {}],
    ['another random', '192.0.2.1', 5684, { random: Buffer.alloc(32, 2) }],
    ['another session', '192.0.2.1', 5684, { sessionId: Buffer.alloc(1) }],
    ['other cipher suites', '192.0.2.1', 5684, { cipherSuites: [0xc0a8] }],
    ['another version', '192.0.2.1', 5684, { version: 0xfeff }],
    ['no cookie', '192.0.2.1', 5684, { cookie: Buffer.alloc(0) }],
    ['a wrong cookie', '192.0.2.1', 5684, { cookie: Buffer.alloc(16) }],
    ['a longer cookie', '192.0.2.1', 5684, { cookie: Buffer.alloc(32) }],
  ])('are invalid with %s', (_, address, port, over) => {
    const { secret, answered } = started();
    expect(secret.isValid(address, port, { ...answered, ...over })).toBe(false);
  });

  it('of another process are invalid', () => {
    expect(started().secret.isValid('192.0.2.1', 5684, started().answered)).toBe(false);
  });

  it('are valid for at least one minute and at most two', () => {
    const { clock, secret, answered } = started();
    const isValid = (): boolean => secret.isValid('192.0.2.1', 5684, answered);
    clock.nowMs += 60_000;
    expect(isValid()).toBe(true);
    clock.nowMs += 59_999;
    expect(isValid()).toBe(true);
    clock.nowMs += 1;
    expect(isValid()).toBe(false);
  });

  it('are invalid after a quiet time, whenever they were made', () => {
    const { clock, secret, answered } = started();
    clock.nowMs += 120_000;
    expect(secret.isValid('192.0.2.1', 5684, answered)).toBe(false);
  });
});
