import { describe, expect, it } from '@jest/globals';
import { ObservationEntry } from './observation-entry.js';
import { isNewer } from './observe-order.js';
import { TokenSource } from '../codec/tokens.js';
import { Turn } from './turn.js';

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
    expect(isNewer({ number: next, print: 1, atMs: 10 + laterMs }, { number: last, print: 1, atMs: 10 })).toBe(
      expected,
    );
  });

  it('the first is always newer', () => {
    expect(isNewer({ number: 0, print: 1, atMs: 0 }, undefined)).toBe(true);
  });

  it('another value with the same number is newer', () => {
    expect(isNewer({ number: 5, print: 2, atMs: 0 }, { number: 5, print: 1, atMs: 0 })).toBe(true);
  });
});

describe('ObservationEntry', () => {
  const entry = () => new ObservationEntry('a token!', async () => undefined, undefined);
  const at = (number: number, atMs = 0) => ({ number, print: 1, atMs });
  const begun = (observation: ObservationEntry, number: number): Turn => {
    const turn = observation.beginTurn(at(number));
    if (!(turn instanceof Turn)) throw new Error(`${number} has no turn`);
    return turn;
  };

  it('an older one is stale once a newer one is safe, not before', async () => {
    const observation = entry();
    const newer = begun(observation, 6);
    const older = observation.beginTurn(at(5));
    expect(older).toBeInstanceOf(Promise);
    observation.endTurn(newer, true);
    await older;
    expect(observation.beginTurn(at(5))).toBe('stale');
    expect(observation.beginTurn(at(6))).toBe('stale');
    expect(observation.beginTurn(at(7))).toBeInstanceOf(Turn);
  });

  it('one that failed is as welcome as before, and so is what is older', async () => {
    const observation = entry();
    observation.recordNewest(at(4));
    const failing = begun(observation, 6);
    const waiting = observation.beginTurn(at(6));
    observation.endTurn(failing, false);
    await waiting;
    observation.endTurn(begun(observation, 5), true);
    expect(observation.beginTurn(at(6))).toBeInstanceOf(Turn);
  });

  it('two at a time, the older one accepted last: the newer one counts', () => {
    const observation = entry();
    const [older, newer] = [begun(observation, 5), begun(observation, 6)];
    observation.endTurn(newer, true);
    observation.endTurn(older, true);
    expect(observation.beginTurn(at(6))).toBe('stale');
  });

  it('after 128 s numbers say nothing', () => {
    const observation = entry();
    observation.recordNewest(at(6));
    expect(observation.beginTurn(at(5, 128_000))).toBe('stale');
    expect(observation.beginTurn(at(5, 128_001))).toBeInstanceOf(Turn);
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
