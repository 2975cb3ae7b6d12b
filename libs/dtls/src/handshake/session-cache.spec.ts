import { describe, expect, it } from '@jest/globals';
import { cipherSuite } from '../crypto/suites.js';
import { packCredential } from './credentials.js';
import { keyProof, type Session, SessionCache, wasAgreedWith } from './session-cache.js';

const KEY = Buffer.from('a key');
const SESSION_BYTES = 10 + 48 + 32 + 1 + 'device-1'.length;

const sessionOf = (id: number): Session => {
  const masterSecret = Buffer.alloc(48, id);
  return {
    id: Buffer.alloc(16, id),
    suite: cipherSuite(0xc0a8)!,
    masterSecret,
    peer: packCredential({ kind: 'psk', identity: Buffer.from('device-1') }),
    keyProof: keyProof(masterSecret, KEY),
  };
};

const cacheOf = (bounds: { sessionsMax?: number; sessionBytesMax?: number }, clock = { nowMs: () => 0 }) => {
  const all = { sessionsMax: 10, sessionBytesMax: 10_000, sessionMs: 1_000, ...bounds };
  const cache = new SessionCache({ ...clock, every: () => ({ stop: () => {} }) }, all);
  const known = () => [1, 2, 3].filter((id) => cache.find(Buffer.alloc(16, id)) !== undefined);
  return { cache, known };
};

describe('the session cache', () => {
  it('gives back what it got, and no other', () => {
    const { cache } = cacheOf({});
    cache.add(sessionOf(1));
    const found = cache.find(Buffer.alloc(16, 1))!;
    expect(found).toEqual(sessionOf(1));
    expect(wasAgreedWith(found, KEY)).toBe(true);
    expect(wasAgreedWith(found, Buffer.from('another'))).toBe(false);
    expect(cache.find(Buffer.alloc(16, 2))).toBeUndefined();
    expect(cache.find(Buffer.alloc(0))).toBeUndefined();
  });

  it('keeps a session of a certificate, which has no key', () => {
    const { cache } = cacheOf({});
    const publicKey = Buffer.alloc(91, 9);
    const { keyProof: _, ...rest } = sessionOf(1);
    const session = {
      ...rest,
      suite: cipherSuite(0xc0ae)!,
      peer: packCredential({ kind: 'raw-public-key', publicKey }),
    };
    cache.add(session);
    const found = cache.find(Buffer.alloc(16, 1))!;
    expect(found.peer).toBe(session.peer);
    expect(wasAgreedWith(found, KEY)).toBe(false);
  });

  it.each([
    ['sessions', { sessionsMax: 2 }],
    ['bytes', { sessionBytesMax: 2 * SESSION_BYTES }],
  ])('has room for so many %s, the newest', (_, bounds) => {
    const { cache, known } = cacheOf(bounds);
    for (const id of [1, 2, 3]) cache.add(sessionOf(id));
    expect(known()).toEqual([2, 3]);
    cache.add(sessionOf(3));
    expect(known()).toEqual([2, 3]);
  });

  it('keeps nothing that has no room at all', () => {
    const { cache, known } = cacheOf({ sessionBytesMax: SESSION_BYTES - 1 });
    cache.add(sessionOf(1));
    expect(known()).toEqual([]);
  });

  it('forgets a session in time', () => {
    let now = 0;
    const { cache, known } = cacheOf({}, { nowMs: () => now });
    cache.add(sessionOf(1));
    now = 999;
    expect(known()).toEqual([1]);
    now = 1_000;
    expect(known()).toEqual([]);
    expect(cache.size).toBe(0);
  });
});
