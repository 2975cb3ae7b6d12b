import { describe, expect, it } from '@jest/globals';
import type { FramedItem } from '@lanyard/contracts';
import { eventOverheadBytes } from '../limits.js';
import { type IntakeBatch, IntakeEvent } from './intake-event.js';
import { flushSlices } from './flush-slices.js';

/** With its overhead it is 100 bytes. */
const item = Buffer.alloc(100 - eventOverheadBytes);

const event = (offset: number, audience: FramedItem['audience'], accountId = 'a'): IntakeEvent =>
  new IntakeEvent(BigInt(offset), 1, {
    item,
    category: 'registrations',
    accountId,
    audience,
    endpointName: 'e',
    uid: 'u',
  });

const batch = (partition: number, lastOffset: number, ...events: IntakeEvent[]): IntakeBatch => ({
  topic: 'device.sessions',
  partition,
  lastOffset: BigInt(lastOffset),
  events,
});

const members = new Map([
  ['a', ['k1', 'k2', 'k3', 'k4']],
  ['b', ['k9']],
]);

/** As `partition:offsets up to last offset`. */
const shown = (batches: IntakeBatch[], bytesMax: number): string[][] =>
  flushSlices(batches, members, bytesMax).map((slice) =>
    slice.map(({ partition, events, lastOffset }) => `${partition}:${events.map((e) => e.offset)}<=${lastOffset}`),
  );

describe('slices of a flush', () => {
  it('are one, of the batches as they are, while all channels together get little', () => {
    const batches = [batch(0, 9, event(1, '*'), event(2, ['k1'])), batch(1, 5)];
    const [only, ...more] = flushSlices(batches, members, 500);
    expect(more).toEqual([]);
    expect(only?.map((each, n) => each === batches[n])).toEqual([true, true]);
  });

  it('are cut where the bound would be passed; the last one covers what the batch covers', () => {
    const events = [1, 3, 4, 7, 8].map((offset) => event(offset, '*'));
    expect(shown([batch(0, 12, ...events)], 800)).toEqual([['0:1,3<=3'], ['0:4,7<=7'], ['0:8<=12']]);
  });

  it('an event counts once for each channel that gets it', () => {
    const events = [
      event(1, '*', 'b'),
      event(2, ['k1', 'k2']),
      event(3, []),
      event(4, '*', 'no account'),
      event(5, '*'),
    ];
    expect(shown([batch(0, 5, ...events)], 500)).toEqual([['0:1,2,3,4<=4'], ['0:5<=5']]);
  });

  it('continue over batches', () => {
    const batches = [batch(0, 3, event(1, '*')), batch(1, 9, event(1, '*'), event(2, '*')), batch(2, 4, event(4, '*'))];
    expect(shown(batches, 800)).toEqual([
      ['0:1<=3', '1:1<=1'],
      ['1:2<=9', '2:4<=4'],
    ]);
  });

  it('are not cut between two events of one message', () => {
    const events = [1, 2, 2, 3].map((offset) => event(offset, '*'));
    expect(shown([batch(0, 3, ...events)], 800)).toEqual([['0:1,2,2<=2'], ['0:3<=3']]);
  });

  it('one event may be larger', () => {
    expect(shown([batch(0, 2, event(1, '*'), event(2, '*'))], 100)).toEqual([['0:1<=1'], ['0:2<=2']]);
  });
});
