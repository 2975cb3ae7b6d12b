import { once } from 'node:events';
import { describe, expect, it } from '@jest/globals';
import { ClientFrames } from './client-frames.js';

const masked = (length: number): Buffer => {
  const head =
    length < 126
      ? [0x82, 0x80 | length]
      : length < 65_536
        ? [0x82, 0xfe, length >> 8, length & 0xff]
        : [0x82, 0xff, 0, 0, 0, 0, ...[24, 16, 8, 0].map((by) => (length >> by) & 0xff)];
  return Buffer.concat([Buffer.from([...head, 1, 2, 3, 4]), Buffer.alloc(length, 0x88)]);
};

const goingAway = Buffer.from('888200000000' + '03f4', 'hex');

/** What comes out when `frames` come in pieces of this size, closed after so many bytes. */
const passed = async (frames: Buffer, size: number, closeAfter: number): Promise<Buffer> => {
  const stream = new ClientFrames();
  const out: Buffer[] = [];
  stream.on('data', (chunk: Buffer) => out.push(chunk));
  let at = 0;
  for (; at < closeAfter; at += size) stream.write(frames.subarray(at, Math.min(at + size, closeAfter)));
  stream.close(1012);
  stream.close(1012);
  for (at = closeAfter; at < frames.length; at += size) stream.write(frames.subarray(at, at + size));
  stream.end();
  await once(stream, 'end');
  return Buffer.concat(out);
};

describe('the frames of a client', () => {
  const frames = [0, 5, 125, 126, 300, 65_535, 70_000].map(masked);
  const all = Buffer.concat(frames);
  const ends = frames.map((_, i) => Buffer.concat(frames.slice(0, i + 1)).length);

  it.each([1, 7, 1_000, all.length])('a close waits for the end of the frame, in pieces of %i bytes', async (size) => {
    for (const closeAfter of [0, 1, 6, 7, 140, 300, 500, 700, 66_000, 136_000, all.length]) {
      const end = closeAfter === 0 ? 0 : (ends.find((one) => one >= closeAfter) as number);
      const out = await passed(all, size, closeAfter);
      expect(out.equals(Buffer.concat([all.subarray(0, end), goingAway]))).toBe(true);
    }
  });

  it('are passed on as they come, however many are in a chunk', async () => {
    const stream = new ClientFrames();
    const out: Buffer[] = [];
    stream.on('data', (chunk: Buffer) => out.push(chunk));
    stream.end(Buffer.concat(Array.from({ length: 10_000 }, () => masked(0))));
    await once(stream, 'end');
    expect(out.map(({ length }) => length)).toEqual([60_000]);
  });
});
