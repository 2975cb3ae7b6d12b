import { describe, expect, it } from '@jest/globals';
import type { FramedItem } from '@lanyard/contracts';
import { accountsWithBroadcasts, channelEvents, type MaySee } from './audience.js';
import { type IntakeBatch, IntakeEvent } from './intake-event.js';

const event = (offset: number, accountId: string, audience: FramedItem['audience'], key = ''): IntakeEvent =>
  new IntakeEvent(
    BigInt(offset),
    1,
    { item: Buffer.from('{}'), category: 'notifications', accountId, audience, endpointName: 'e', uid: 'u' },
    1,
    { key },
  );

const batch = (partition: number, ...events: IntakeEvent[]): IntakeBatch => ({
  topic: 'device.values',
  partition,
  lastOffset: 99n,
  events,
});

const offsets = (
  batches: IntakeBatch[],
  members: [string, string[]][] = [],
  maySee?: MaySee,
): Record<string, number[]> =>
  Object.fromEntries(
    channelEvents(batches, new Map(members), maySee).map((d) => [
      `${d.accountId}/${d.channelId}`,
      d.parts.flatMap(({ events }) => events.map(({ offset }) => Number(offset))),
    ]),
  );

describe('the audience', () => {
  it('of keys is their channels, in order', () => {
    const batches = [batch(0, event(1, 'a', ['k1', 'k2']), event(2, 'a', ['k2'])), batch(1, event(7, 'a', ['k2']))];
    expect(offsets(batches)).toEqual({ 'a/k1': [1], 'a/k2': [1, 2, 7] });
  });

  it('leaves out a key that may not see the device, in a row of its events and among others', () => {
    const maySee: MaySee = (keyId, { deviceId }) => keyId !== 'limited' || deviceId === 'mine';
    const events = [
      event(1, 'a', ['limited'], 'mine'),
      event(2, 'a', ['limited'], 'other'),
      event(3, 'a', ['limited'], 'mine'),
      event(4, 'a', ['k1', 'limited'], 'other'),
      event(5, 'a', '*', 'other'),
      event(6, 'a', '*', 'mine'),
    ];
    expect(offsets([batch(0, ...events)], [['a', ['k1', 'limited']]], maySee)).toEqual({
      'a/limited': [1, 3, 6],
      'a/k1': [4, 5, 6],
    });
  });

  it('of * is every channel of the account and of no other', () => {
    const batches = [batch(0, event(1, 'a', '*'), event(2, 'b', '*'), event(3, 'a', ['k1']))];
    expect([...accountsWithBroadcasts(batches)]).toEqual(['a', 'b']);
    const members: [string, string[]][] = [
      ['a', ['k1', 'k2']],
      ['b', ['k9']],
    ];
    expect(offsets(batches, members)).toEqual({ 'a/k1': [1, 3], 'a/k2': [1], 'b/k9': [2] });
  });

  it('is empty when no key is named', () => {
    expect(offsets([batch(0, event(1, 'a', []))])).toEqual({});
  });

  it('two accounts that name one key stay apart', () => {
    expect(offsets([batch(0, event(1, 'a', ['k1']), event(2, 'b', ['k1']))])).toEqual({ 'a/k1': [1], 'b/k1': [2] });
  });
});
