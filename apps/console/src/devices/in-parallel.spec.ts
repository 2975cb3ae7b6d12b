import { expect, it } from '@jest/globals';
import { inParallel } from './in-parallel.ts';

async function* numbers(n: number): AsyncGenerator<number> {
  for (let at = 0; at < n; at++) yield at;
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

it('works on each item once', async () => {
  const done: number[] = [];
  const work = async (n: number): Promise<void> => {
    await turn();
    done.push(n);
  };
  await inParallel(numbers(5), work, { parallel: 2, signal: new AbortController().signal });
  expect(done.toSorted()).toEqual([0, 1, 2, 3, 4]);
});

it('ends after a failure when the work that has begun has ended', async () => {
  const done: number[] = [];
  const work = async (n: number): Promise<void> => {
    if (n === 0) throw new Error('refused');
    await turn();
    done.push(n);
  };
  const run = inParallel(numbers(5), work, { parallel: 2, signal: new AbortController().signal });
  await expect(run).rejects.toThrow('refused');
  expect(done).toEqual([1]);
});

it('begins no further work when it is stopped', async () => {
  const done: number[] = [];
  const stopper = new AbortController();
  const work = async (n: number): Promise<void> => {
    stopper.abort();
    await turn();
    done.push(n);
  };
  await inParallel(numbers(5), work, { parallel: 1, signal: stopper.signal });
  expect(done).toEqual([0]);
});
