import { describe, expect, it } from '@jest/globals';
import { saveAfterMs, saveAfterRecords } from './limits.js';
import { OwnedConnection } from './owned-connection.js';

const nowMs = 1_700_000_000_500;
const counters = { sendSequence: 10, receivedMax: 8 };

const saved = (keptMs = 60_000): OwnedConnection => {
  const owned = new OwnedConnection('0011', 7, 0);
  owned.saved(counters, nowMs, keptMs);
  return owned;
};

describe('the saved state of a connection', () => {
  it('is due until it is saved, also without a record', () => {
    const owned = new OwnedConnection('0011', 7, 0);
    expect(owned.isDue({ sendSequence: 0, receivedMax: -1 }, nowMs)).toBe(true);
    owned.saved({ sendSequence: 0, receivedMax: -1 }, nowMs, 60_000);
    expect(owned.isDue({ sendSequence: 0, receivedMax: -1 }, nowMs + 10 * saveAfterMs)).toBe(false);
  });

  it.each([
    ['no record, whenever', 0, 0, 10 * saveAfterMs, false],
    ['one record, soon', 0, 1, saveAfterMs - 1_000, false],
    ['one record, later', 1, 0, saveAfterMs, true],
    ['one record, when the clock was set back', 1, 0, -300_000, true],
    ['many records of both sides, at once', saveAfterRecords / 2, saveAfterRecords / 2, 0, true],
    ['one fewer', saveAfterRecords / 2, saveAfterRecords / 2 - 1, 0, false],
  ])('after %s', (_, sent, received, afterMs, isDue) => {
    const { sendSequence, receivedMax } = counters;
    const since = { sendSequence: sendSequence + sent, receivedMax: receivedMax + received };
    expect(saved().isDue(since, nowMs + afterMs)).toBe(isDue);
  });

  it('is due when Redis would forget it before the registration ends', () => {
    const owned = saved();
    expect(owned.endsBefore(nowMs + 61_000)).toBe(true);
    expect(owned.endsBefore(nowMs + 59_000)).toBe(false);
    // Without a registration.
    expect(new OwnedConnection('0011', 7, 0).endsBefore(0)).toBe(false);
    owned.isShort = true;
    expect(owned.isDue(counters, nowMs)).toBe(true);
    owned.saved(counters, nowMs, 60_000);
    expect(owned.isDue(counters, nowMs)).toBe(false);
  });
});
