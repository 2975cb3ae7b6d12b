import { describe, expect, it } from '@jest/globals';
import { RateLimited } from './errors/service-error.js';
import { KeyedMutex } from './keyed-mutex.js';

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('tasks of a key', () => {
  it('run one after the other, in the order in which they were submitted, also after one that fails', async () => {
    const mutex = new KeyedMutex();
    const done: number[] = [];
    const work = async (n: number): Promise<void> => {
      await settled();
      done.push(n);
      if (n === 1) throw new Error('statement timeout');
    };
    const all = await Promise.allSettled([0, 1, 2, 3].map((n) => mutex.run('key', () => work(n))));
    expect(done).toEqual([0, 1, 2, 3]);
    expect(all.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'fulfilled']);
  });

  it('of other keys do not wait', async () => {
    const mutex = new KeyedMutex();
    void mutex.run('stuck', () => new Promise(() => undefined));
    expect(await mutex.run('other', () => Promise.resolve('done'))).toBe('done');
  });

  it('are refused while too many wait', async () => {
    const mutex = new KeyedMutex();
    let end!: () => void;
    const first = mutex.run('key', () => new Promise<void>((ended) => (end = ended)));
    const waiting = [1, 2].map(() => mutex.run('key', () => Promise.resolve(), 2));
    await expect(mutex.run('key', () => Promise.resolve(), 2)).rejects.toThrow(RateLimited);
    const own = mutex.run('key', () => Promise.resolve());
    end();
    await Promise.all([first, ...waiting, own]);
    await mutex.run('key', () => Promise.resolve(), 0);
  });
});
