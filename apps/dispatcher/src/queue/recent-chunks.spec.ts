import { describe, expect, it } from '@jest/globals';
import { ChunkBuilder } from './chunk.js';
import { chunksFrom, RecentChunks, runArguments } from './recent-chunks.js';

/** A chunk of so many events. */
const chunk = (events: number, bytesEach = 10): Buffer => {
  const builder = new ChunkBuilder();
  for (let n = 0; n < events; n++) builder.add('notifications', Buffer.alloc(bytesEach, 'x'), 1_000);
  return builder.finish()[0] ?? Buffer.of();
};

describe('recent chunks', () => {
  it('gives what follows an event, with the chunk that holds it', () => {
    const recent = new RecentChunks(1_000_000);
    recent.add(recent.epoch, 'a', 'b1', 110, [chunk(4), chunk(6)]);
    recent.add(recent.epoch, 'a', 'b1', 115, [chunk(5)]);
    const run = recent.run('a', 106);
    expect(runArguments(run)).toEqual(['b1', 104, 115]);
    expect(runArguments(recent.run('a'))).toEqual(['b1', 100, 115]);
    if (!run) throw new Error('nothing');
    expect(chunksFrom(run, 106)).toMatchObject({ skip: 2, chunks: [chunk(6), chunk(5)] });
    expect(recent.run('a', 99)).toBeUndefined();
    expect(recent.run('a', 115)).toBeUndefined();
    expect(runArguments(recent.run('another'))).toEqual(['', '', '']);
  });

  it('starts again after a gap, and with another queue', () => {
    const recent = new RecentChunks(1_000_000);
    recent.add(recent.epoch, 'a', 'b1', 10, [chunk(10)]);
    recent.add(recent.epoch, 'a', 'b1', 25, [chunk(5)]);
    expect(runArguments(recent.run('a'))).toEqual(['b1', 20, 25]);
    recent.add(recent.epoch, 'a', 'b2', 30, [chunk(5)]);
    expect(runArguments(recent.run('a'))).toEqual(['b2', 25, 30]);
  });

  it('lets go of what is confirmed', () => {
    const recent = new RecentChunks(1_000_000);
    recent.add(recent.epoch, 'a', 'b1', 20, [chunk(10), chunk(10)]);
    recent.confirmed('a', 15);
    expect(runArguments(recent.run('a'))).toEqual(['b1', 10, 20]);
    recent.confirmed('a', 20);
    expect(recent.run('a')).toBeUndefined();
    expect(recent.size).toBe(0);
  });

  it('adds nothing that was answered before everything was forgotten', () => {
    const recent = new RecentChunks(1_000_000);
    const { epoch } = recent;
    recent.add(epoch, 'a', 'b1', 10, [chunk(10)]);
    recent.forget();
    expect(recent.run('a')).toBeUndefined();
    recent.add(epoch, 'a', 'b1', 20, [chunk(10)]);
    expect(recent.run('a')).toBeUndefined();
    expect(recent.size).toBe(0);
  });

  it('is bounded: a channel by its share, all together by the sum', () => {
    const recent = new RecentChunks(100_000);
    for (let n = 1; n <= 100; n++) recent.add(recent.epoch, 'large', 'b1', n, [chunk(1, 1_000)]);
    expect(recent.size).toBeLessThanOrEqual(25_000);
    expect(recent.run('large', 99)).toMatchObject({ to: 100 });
    for (let n = 1; n <= 300; n++) recent.add(recent.epoch, `small ${n}`, 'b1', 1, [chunk(1, 1_000)]);
    expect(recent.size).toBeLessThanOrEqual(100_000);
    expect(recent.run('large')).toBeUndefined();
    expect(recent.run('small 300')).toBeDefined();
  });

  it('gives one batch, not all there is', () => {
    const recent = new RecentChunks(100_000_000);
    recent.add(
      recent.epoch,
      'a',
      'b1',
      100_000,
      Array.from({ length: 1_000 }, () => chunk(100, 1)),
    );
    const run = recent.run('a', 50);
    expect(run?.to).toBeGreaterThanOrEqual(20_050);
    expect(run?.to).toBeLessThan(21_000);
  });

  it('keeps nothing when it may not', () => {
    const recent = new RecentChunks(0);
    recent.add(recent.epoch, 'a', 'b1', 10, [chunk(10)]);
    expect(recent.run('a')).toBeUndefined();
    expect(recent.size).toBe(0);
  });
});
