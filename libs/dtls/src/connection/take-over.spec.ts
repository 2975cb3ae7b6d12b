import { describe, expect, it } from '@jest/globals';
import { InvalidState, StateNotSaved } from '../errors.js';
import { SEQUENCE_MAX, TAKE_OVER_SEQUENCES } from '../limits.js';
import { Epoch } from '../record/epoch.js';
import { sequenceAfterTakeOvers } from './take-over.js';

/** A process that has the connection, or believes so. */
interface Owner {
  epoch: Epoch;
  takeOver: number;
}

/** Who has sent what: ranges of sequence numbers, which must not overlap. */
class SentNumbers {
  private readonly ranges: [from: number, end: number][] = [];

  add(from: number, end: number): void {
    if (end > from) this.ranges.push([from, end]);
  }

  /** The first pair that overlaps. */
  get repeated(): number[][] {
    const sorted = [...this.ranges].sort(([a], [b]) => a - b);
    const at = sorted.findIndex(([from], n) => n > 0 && from < sorted[n - 1]![1]);
    return at < 0 ? [] : sorted.slice(at - 1, at + 1);
  }
}

/** Sends as many records as the epoch allows, up to `count`: all but the last without their cost. */
const send = ({ epoch }: Owner, count: number, sent: SentNumbers): void => {
  const from = epoch.sendSequence;
  epoch.sendSequence = Math.max(from, Math.min(from + count, epoch.sendSequenceEnd) - 1);
  try {
    epoch.seal(23, Buffer.alloc(0));
  } catch (error) {
    if (!(error instanceof StateNotSaved)) throw error;
  }
  sent.add(from, epoch.sendSequence);
};

const owner = (takeOver: number, sendSequence: number): Owner => ({
  takeOver,
  epoch: new Epoch({ number: 0, sendSequence, sendSequenceEnd: sendSequence + TAKE_OVER_SEQUENCES }),
});

describe('sequence numbers over take-overs', () => {
  it.each([1, 2, 3, 4, 5, 6, 7, 8])('are never used twice, whatever fails (seed %i)', (seed) => {
    let state = seed;
    const below = (max: number): number => (state = (state * 48_271) % 2_147_483_647) % max;
    for (let round = 0; round < 200; round += 1) {
      const sent = new SentNumbers();
      let stored = { sequence: 0, takeOver: 0 };
      let takeOvers = 0;
      const owners = [owner(0, 0)];
      for (let step = 0; step < 40; step += 1) {
        const one = owners[below(owners.length)]!;
        const choice = below(4);
        // Each owner continues with its own numbers, also after it has lost the connection without knowing.
        if (choice <= 1) send(one, below(3) === 0 ? TAKE_OVER_SEQUENCES : below(1_000), sent);
        else if (choice === 2 && one.takeOver === takeOvers) {
          // Saved, unless it was taken over; the answer of the store may get lost.
          stored = { sequence: one.epoch.sendSequence, takeOver: one.takeOver };
          if (below(2) === 0) one.epoch.sendSequenceEnd = stored.sequence + TAKE_OVER_SEQUENCES;
        } else if (choice === 3) {
          // Counted by the store; the process may die before it uses the state.
          takeOvers += 1;
          const restored = sequenceAfterTakeOvers(stored.sequence, takeOvers - stored.takeOver);
          if (below(3) > 0) owners.push(owner(takeOvers, restored));
        }
      }
      expect(sent.repeated).toEqual([]);
    }
  });

  it('end with the last of 48 bits', () => {
    const last = SEQUENCE_MAX - 3 * TAKE_OVER_SEQUENCES;
    expect(sequenceAfterTakeOvers(last, 3)).toBe(SEQUENCE_MAX);
    expect(() => sequenceAfterTakeOvers(last + 1, 3)).toThrow(InvalidState);
    expect(() => sequenceAfterTakeOvers(0, 0)).toThrow(InvalidState);
  });
});
