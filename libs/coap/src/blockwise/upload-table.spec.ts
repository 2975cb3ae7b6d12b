import { describe, expect, it } from '@jest/globals';
import { ManualClock } from '../../test/manual-clock.js';
import { BoundedTable } from '../memory/bounded-table.js';
import { TimerWheel } from '../timing/timer-wheel.js';
import { type Upload, UploadTable } from './upload-table.js';

const LIMIT = 10_000;

const uploads = () => {
  const clock = new ManualClock();
  const held = new BoundedTable<string, Upload>(
    { entriesMax: 3, bytesMax: 20_000, idleMs: 93_000, perGroupMax: 2 },
    clock,
    new TimerWheel(clock),
  );
  const table = new UploadTable(held, LIMIT);
  const take = (
    num: number,
    more: boolean,
    bytes = 16,
    over: { key?: string; format?: number; size1?: number; szx?: number; source?: string } = {},
  ) =>
    table.takeBlock(over.key ?? 'a', {
      block: { num, more, szx: over.szx ?? 0 },
      payload: Buffer.alloc(bytes, num + 1),
      contentFormat: over.format,
      announcedBytes: over.size1,
      source: over.source ?? '192.0.2.1',
    });
  return { clock, held, take };
};

describe('UploadTable', () => {
  it('puts blocks together', () => {
    const { take, held } = uploads();
    expect([take(0, true).kind, take(1, true).kind]).toEqual(['continue', 'continue']);
    const end = take(2, false, 3);
    expect(end).toEqual({
      kind: 'complete',
      payload: Buffer.concat([1, 2, 3].map((n) => Buffer.alloc(n === 3 ? 3 : 16, n))),
    });
    expect([held.size, held.bytes]).toEqual([0, 0]);
  });

  it('takes the only block as the whole, and an exact multiple', () => {
    const { take } = uploads();
    expect(take(0, false, 5)).toEqual({ kind: 'complete', payload: Buffer.alloc(5, 1) });
    take(0, true);
    expect(take(1, false)).toMatchObject({ kind: 'complete' });
  });

  it('accepts a repeated block and a new start, refuses a gap', () => {
    const { take } = uploads();
    take(0, true);
    take(1, true);
    expect(take(1, true).kind).toBe('continue');
    expect(take(3, true).kind).toBe('incomplete');
    expect(take(0, true).kind).toBe('continue');
    expect(take(2, true).kind).toBe('incomplete');
    expect(take(1, false, 1)).toMatchObject({ payload: Buffer.concat([Buffer.alloc(16, 1), Buffer.alloc(1, 2)]) });
  });

  it('lets the block size shrink on the way', () => {
    const { take } = uploads();
    take(0, true, 64, { szx: 2 });
    expect(take(2, true, 32, { szx: 1 }).kind).toBe('continue');
    expect(take(3, false, 1, { szx: 1 })).toMatchObject({ kind: 'complete' });
  });

  it.each([
    ['a short block that is not the last', () => uploads().take(0, true, 15), 'malformed'],
    ['a last block that is too long', () => uploads().take(0, false, 17), 'malformed'],
    ['a block without a first one', () => uploads().take(1, true), 'incomplete'],
    ['an announced size above the limit', () => uploads().take(0, true, 16, { size1: LIMIT + 1 }), 'too-large'],
    ['a block beyond the limit', () => uploads().take(LIMIT / 16, true), 'too-large'],
  ])('refuses %s', (_name, step, kind) => {
    expect(step().kind).toBe(kind);
  });

  it('refuses another Content-Format in the middle', () => {
    const { take } = uploads();
    take(0, true, 16, { format: 42 });
    expect(take(1, true, 16, { format: 0 }).kind).toBe('incomplete');
  });

  it('grows to the limit and not beyond', () => {
    const { take, held } = uploads();
    const blocks = Math.floor(LIMIT / 1_024);
    for (let num = 0; num < blocks; num += 1) expect(take(num, true, 1_024, { szx: 6 }).kind).toBe('continue');
    expect(held.bytes).toBe(LIMIT);
    expect(take(blocks, true, 1_024, { szx: 6 }).kind).toBe('too-large');
    expect([held.size, held.bytes]).toEqual([0, 0]);
  });

  it('gives up nothing for a new upload: it has no room until one has ended or stopped', () => {
    const { take, held, clock } = uploads();
    const other = '192.0.2.2';
    expect(take(0, true, 16, { key: 'a' }).kind).toBe('continue');
    expect(take(0, true, 16, { key: 'b' }).kind).toBe('continue');
    expect(take(0, true, 16, { key: 'c' }).kind).toBe('no-room');
    expect(take(0, true, 16, { key: 'c', source: other }).kind).toBe('continue');
    expect(take(0, true, 16, { key: 'd', source: other }).kind).toBe('no-room');
    expect(take(0, true, 16, { key: 'a' }).kind).toBe('continue');
    expect(take(1, false, 16, { key: 'a' }).kind).toBe('complete');
    expect(take(0, true, 16, { key: 'd', source: other }).kind).toBe('continue');
    expect(take(0, false, 16, { key: 'e' }).kind).toBe('complete');
    clock.advance(93_100);
    expect([held.size, held.bytes]).toEqual([0, 0]);
    for (const key of ['f', 'g']) expect(take(0, true, 16, { key }).kind).toBe('continue');
  });

  it('grows into what is free, and takes nothing from the others', () => {
    const { take, held } = uploads();
    const grow = (key: string, blocks: number, source?: string): string[] =>
      Array.from(
        { length: blocks },
        (_, num) => take(num, true, 1_024, { key, szx: 6, ...(source && { source }) }).kind,
      );
    expect(grow('a', 9)).not.toContain('no-room');
    expect(grow('b', 8, '192.0.2.2')).not.toContain('no-room');
    expect(grow('c', 1, '192.0.2.3')).toEqual(['no-room']);
    expect(take(9, false, 10, { key: 'a', szx: 6 }).kind).toBe('complete');
    expect(grow('c', 9, '192.0.2.3')).not.toContain('no-room');
    expect(held.bytes).toBeLessThanOrEqual(20_000);
  });
});
