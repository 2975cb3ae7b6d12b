import { describe, expect, it } from '@jest/globals';
import { sharedWrite, WriteBatcher } from './write-batcher.js';

/** Writes of items; `bad…` ones are refused, `held…` ones cannot be done with others. */
const writes = (fails = false) => {
  const together: (readonly string[])[] = [];
  const alone: string[] = [];
  const batcher = new WriteBatcher<string>(
    async (items) => {
      together.push(items);
      if (fails) throw new Error('away');
      return new Set(items.filter((item) => item.startsWith('good')));
    },
    async (item) => {
      alone.push(item);
      if (item.startsWith('bad')) throw new Error(`refused: ${item}`);
    },
  );
  return { together, alone, batcher };
};

const outcomes = async (batcher: WriteBatcher<string>, items: string[]): Promise<string[]> =>
  (await Promise.allSettled(items.map((item) => batcher.write(item)))).map((outcome) =>
    outcome.status === 'fulfilled' ? 'done' : (outcome.reason as Error).message,
  );

describe('a batcher of writes', () => {
  it('that come at the same moment are one', async () => {
    const { together, alone, batcher } = writes();
    expect(await outcomes(batcher, ['good 1', 'good 2', 'good 3'])).toEqual(['done', 'done', 'done']);
    expect([together, alone]).toEqual([[['good 1', 'good 2', 'good 3']], []]);
  });

  it('of which some cannot be done with the others: those are done alone, and fail alone', async () => {
    const { alone, batcher } = writes();
    expect(await outcomes(batcher, ['good', 'bad', 'held'])).toEqual(['done', 'refused: bad', 'done']);
    expect(alone).toEqual(['bad', 'held']);
  });

  it('that fail together are done alone', async () => {
    const { alone, batcher } = writes(true);
    expect(await outcomes(batcher, ['good 1', 'bad', 'good 2'])).toEqual(['done', 'refused: bad', 'done']);
    expect(alone).toEqual(['good 1', 'bad', 'good 2']);
  });

  it('that come by themselves are done alone at once', async () => {
    const { together, alone, batcher } = writes();
    expect(await outcomes(batcher, ['good'])).toEqual(['done']);
    expect([together, alone]).toEqual([[], ['good']]);
  });
});

describe('a shared write', () => {
  const written = (refused?: number) => {
    const calls: (readonly number[])[] = [];
    const write = sharedWrite<number>(async (rows) => {
      calls.push(rows);
      if (refused !== undefined && rows.includes(refused)) throw new Error(`refused: ${refused}`);
    });
    return { calls, write };
  };

  it('takes the rows of calls at the same moment, in their order', async () => {
    const { calls, write } = written();
    await Promise.all([write([3, 1]), write([2]), write([4])]);
    expect(calls).toEqual([[3, 1, 2, 4]]);
  });

  it('that is refused is made for each call alone, and rejects for the one with the reason', async () => {
    const { calls, write } = written(2);
    const outcomes = await Promise.allSettled([write([1]), write([2, 3])]);
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
    expect(calls).toEqual([[1, 2, 3], [1], [2, 3]]);
  });
});
