import { describe, expect, it } from '@jest/globals';
import { ObservationEntry } from './observation-entry.js';
import { isNewer } from './observe-order.js';
import { TokenSource } from './tokens.js';

describe('isNewer (RFC 7641 §3.4)', () => {
  it.each([
    ['the next number', 5, 4, 0, true],
    ['the same number', 5, 5, 0, false],
    ['an earlier number', 4, 5, 0, false],
    ['just below half the circle', 8_388_607, 0, 0, true],
    ['half the circle', 8_388_608, 0, 0, false],
    ['around the end', 3, 16_777_210, 0, true],
    ['before the end, late', 16_777_210, 3, 0, false],
    ['an earlier number after 128 s', 4, 5, 128_001, true],
    ['an earlier number at 128 s', 4, 5, 128_000, false],
  ])('%s', (_name, next, last, laterMs, expected) => {
    expect(isNewer({ number: next, atMs: 10 + laterMs }, { number: last, atMs: 10 })).toBe(expected);
  });

  it('the first is always newer', () => {
    expect(isNewer({ number: 0, atMs: 0 }, undefined)).toBe(true);
  });
});

describe('ObservationEntry', () => {
  const entry = () => new ObservationEntry('a token!', async () => undefined, undefined);

  it('admits the retransmission of a refused notification, even when a newer one came meanwhile', () => {
    const observation = entry();
    expect(observation.admits({ number: 5, atMs: 0 }, 100)).toBe(true);
    expect(observation.admits({ number: 6, atMs: 0 }, 101)).toBe(true);
    observation.refuse(100);
    expect(observation.admits({ number: 5, atMs: 2_000 }, 100)).toBe(true);
    expect(observation.admits({ number: 5, atMs: 4_000 }, 100)).toBe(false);
  });

  it('remembers only so many refusals', () => {
    const observation = entry();
    observation.startAt({ number: 10, atMs: 0 });
    for (let messageId = 0; messageId < 65; messageId += 1) observation.refuse(messageId);
    expect(observation.admits({ number: 1, atMs: 0 }, 0)).toBe(false);
    expect(observation.admits({ number: 1, atMs: 0 }, 1)).toBe(true);
  });
});

describe('TokenSource', () => {
  it('never repeats and shares no memory between tokens', () => {
    const source = new TokenSource();
    const tokens = Array.from({ length: 3_000 }, () => source.next());
    expect(new Set(tokens.map((token) => token.toString('hex'))).size).toBe(3_000);
    expect(tokens[0]!.length).toBe(8);
    expect(tokens[0]!.buffer).not.toBe(tokens[1]!.buffer);
  });
});
