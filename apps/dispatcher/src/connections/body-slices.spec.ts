import { beforeEach, describe, expect, it } from '@jest/globals';
import { TestClock } from '@lanyard/testing';
import { Writable } from 'node:stream';
import { answerStallMaxMs } from '../limits.js';
import { sliceBytes, BodySlices } from './body-slices.js';

const body = Buffer.alloc(10 * sliceBytes + 1, 'x');

describe('a body in slices', () => {
  let clock: TestClock;
  let stalls: number;
  let slices: BodySlices;
  /** What the connection was given; it takes no more before the last part is let through. */
  let written: Buffer[];
  let letThrough: () => void;

  beforeEach(() => {
    clock = new TestClock();
    stalls = 0;
    written = [];
    slices = new BodySlices(body, clock, () => stalls++);
    const write = (part: Buffer, _: string, done: () => void): void => {
      written.push(part);
      letThrough = done;
    };
    slices.stream().pipe(new Writable({ highWaterMark: 1, write }));
  });

  it('that makes progress is left alone, however long it takes', async () => {
    for (let n = 1; n <= 11; n++) {
      await clock.advance(answerStallMaxMs / 4);
      expect(written).toHaveLength(n);
      letThrough();
      await clock.advance(0);
    }
    expect(Buffer.concat(written).equals(body)).toBe(true);
    slices.stop();
    await clock.advance(answerStallMaxMs);
    expect(stalls).toBe(0);
  });

  it('of which nothing is read has stalled, at its beginning and later', async () => {
    await clock.advance(1);
    letThrough();
    await clock.advance(0);
    await clock.advance(answerStallMaxMs - 1);
    expect(stalls).toBe(0);
    await clock.advance(1);
    expect(stalls).toBe(1);
    expect(written).toHaveLength(2);
  });
});
