import { describe, expect, it } from '@jest/globals';
import { blockBytesIn } from './record-blocks.js';

describe('the block size of a peer with a record size limit', () => {
  it.each([
    [Infinity, 1_024],
    [16_384, 1_024],
    [1_072, 1_024],
    [1_071, 512],
    [256, 128],
    [112, 64],
    [64, 16],
    [63, 16],
  ])('of %d bytes is %d', (recordBytesMax, blockBytes) => expect(blockBytesIn(recordBytesMax)).toBe(blockBytes));
});
