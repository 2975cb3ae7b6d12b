import { describe, expect, it } from '@jest/globals';
import { eventually } from '@lanyard/testing';
import { ReadBatcher } from './read-batcher.js';

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Reads that are answered when the test says so. */
const reads = (slotTimeoutMs = 600_000) => {
  const asked: (readonly string[])[] = [];
  const answers: ((outcome: Error | undefined) => void)[] = [];
  const batcher = new ReadBatcher<string>((keys) => {
    asked.push(keys);
    return new Promise((resolve, reject) =>
      answers.push((error) => {
        if (error) reject(error);
        else resolve(new Map(keys.filter((key) => key !== 'none').map((key) => [key, `value of ${key}`])));
      }),
    );
  }, slotTimeoutMs);
  return { asked, answers, batcher };
};

describe('a batcher of reads', () => {
  it('are one statement for what comes at the same moment, each key once', async () => {
    const { asked, answers, batcher } = reads();
    const values = Promise.all(['a', 'b', 'a', 'none'].map((key) => batcher.get(key)));
    await nextTurn();
    answers[0]?.(undefined);
    expect(await values).toEqual(['value of a', 'value of b', 'value of a', undefined]);
    expect(asked).toEqual([['a', 'b', 'none']]);
  });

  it('wait while two are under way, and are never answered by one that was sent before they came', async () => {
    const { asked, answers, batcher } = reads();
    const values: Promise<string | undefined>[] = [];
    for (const key of ['a', 'b', 'a', 'c']) {
      values.push(batcher.get(key));
      await nextTurn();
    }
    expect(asked).toEqual([['a'], ['b']]);
    answers[1]?.(undefined);
    await values[1];
    await nextTurn();
    expect(asked).toEqual([['a'], ['b'], ['a', 'c']]);
    answers[0]?.(undefined);
    answers[2]?.(undefined);
    expect(await Promise.all(values)).toEqual(['value of a', 'value of b', 'value of a', 'value of c']);
  });

  it('that fail, fail for their callers, and the next ones continue', async () => {
    const { answers, batcher } = reads();
    const failing = Promise.allSettled([batcher.get('a'), batcher.get('b')]);
    await nextTurn();
    answers[0]?.(new Error('away'));
    expect((await failing).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    const value = batcher.get('a');
    await nextTurn();
    answers[1]?.(undefined);
    expect(await value).toBe('value of a');
  });

  it('do not wait for statements that hang', async () => {
    const { asked, batcher } = reads(5);
    for (const key of ['a', 'b', 'c']) {
      void batcher.get(key);
      await nextTurn();
    }
    await eventually(() => expect(asked).toEqual([['a'], ['b'], ['c']]));
  });

  it('take a hundred keys at most', async () => {
    const { asked, batcher } = reads();
    for (let n = 0; n < 150; n++) void batcher.get(String(n));
    await nextTurn();
    expect(asked.map((keys) => keys.length)).toEqual([100, 50]);
  });
});
