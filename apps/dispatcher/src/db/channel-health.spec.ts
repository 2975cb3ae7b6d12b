import { describe, expect, it } from '@jest/globals';
import { assessed, type KeySeen, noHealth, proves, type ChannelHealth } from './channel-health.js';

const now = new Date('2024-01-01T00:00:00Z');
const later = new Date('2024-01-01T01:00:00Z');
const key = (revision: number, fingerprint: string, mayConnect = true): KeySeen => ({
  revision,
  fingerprint,
  mayConnect,
});
const registered = (registeredWith: string | null, seen?: KeySeen): ChannelHealth =>
  assessed({ ...noHealth, registeredWith }, seen, now);

describe('the health of a callback', () => {
  it('an unknown key stops nothing', () => {
    expect(registered('a')).toMatchObject({ stopped: null });
  });

  it('a reset stops it permanently: disabling and enabling the key changes nothing', () => {
    const before = registered('a', key(1, 'a'));
    expect(before.stopped).toBeNull();
    const reset = assessed(before, key(2, 'b'), now);
    expect(reset).toMatchObject({ stopped: 'key_reset', stoppedAt: now });
    const off = assessed(reset, key(3, 'b', false), later);
    expect(assessed(off, key(4, 'b'), later)).toMatchObject({ stopped: 'key_reset', stoppedAt: now });
  });

  it('a revoked key stops it until the key may again', () => {
    const off = assessed(registered('a', key(1, 'a')), key(2, 'a', false), now);
    expect(off).toMatchObject({ stopped: 'key_revoked', stoppedAt: now });
    expect(assessed(off, key(3, 'a'), later)).toMatchObject({ stopped: null, stoppedAt: null });
  });

  it('what is heard late does not count against what is known', () => {
    const reset = assessed(registered('a', key(1, 'a')), key(3, 'b'), now);
    expect(assessed(reset, key(2, 'a'), later)).toBe(reset);
    expect(assessed(reset, key(3, 'b'), later)).toBe(reset);
  });

  it('registered with a secret that is not announced yet: stopped until it is', () => {
    const early = registered('b', key(1, 'a'));
    expect(early.stopped).toBe('key_reset');
    expect(assessed(early, key(2, 'b'), later)).toMatchObject({ stopped: null, stoppedAt: null });
  });

  it('registered before secrets were stored: it belongs to the first one that is announced', () => {
    const known = registered(null, key(1, 'a'));
    expect(known).toMatchObject({ registeredWith: 'a', stopped: null });
    expect(assessed(known, key(2, 'b'), later)).toMatchObject({ stopped: 'key_reset' });
  });

  it('a rotation carries it over to the new secret, also past the overlap', () => {
    const rotated = assessed(registered('a', key(1, 'a')), { ...key(2, 'b'), earlier: ['a'] }, now);
    expect(rotated).toMatchObject({ registeredWith: 'b', stopped: null });
    expect(assessed(rotated, key(3, 'b'), later)).toMatchObject({ registeredWith: 'b', stopped: null });
    expect(assessed(rotated, key(3, 'c'), later)).toMatchObject({ stopped: 'key_reset' });
  });

  it('the newest of two access keys is deleted: it belongs to the one that is left, until that is replaced', () => {
    const two = assessed(registered('a', key(1, 'a')), { ...key(2, 'b'), earlier: ['a'] }, now);
    const one = assessed(two, key(3, 'a'), later);
    expect(one).toMatchObject({ registeredWith: 'a', stopped: null });
    expect(assessed(one, key(4, 'c'), later)).toMatchObject({ stopped: 'key_reset' });
    expect(assessed(two, key(3, 'c'), later)).toMatchObject({ stopped: 'key_reset' });
  });

  it('a secret that is none of the present ones registers nothing, whatever it was before', () => {
    const seen = { ...key(2, 'b'), earlier: ['a'] };
    expect([proves('a', seen), proves('b', seen), proves('a', key(3, 'b'))]).toEqual([true, true, false]);
    expect([proves(null, seen), proves('a', null)]).toEqual([true, true]);
  });

  it('registered with the old secret during the overlap, it stands by the new one', () => {
    expect(registered('a', { ...key(2, 'b'), earlier: ['a'] })).toMatchObject({ registeredWith: 'b', stopped: null });
  });
});
