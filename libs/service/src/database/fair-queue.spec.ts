import { describe, expect, it } from '@jest/globals';
import { RateLimited } from '../errors/service-error.js';
import { FairQueue } from './fair-queue.js';

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Work that ends when told to, and who does it. */
class Desk {
  readonly turns = new FairQueue();
  readonly under: { accountId: string; end: () => void }[] = [];

  ask(accountId: string, times = 1): Promise<void>[] {
    return Array.from({ length: times }, () =>
      this.turns.run(accountId, () => new Promise<void>((end) => this.under.push({ accountId, end }))),
    );
  }

  count(accountId: string): number {
    return this.under.filter((one) => one.accountId === accountId).length;
  }

  async endOne(accountId: string): Promise<void> {
    const at = this.under.findIndex((one) => one.accountId === accountId);
    this.under.splice(at, 1)[0]?.end();
    await settled();
  }
}

describe('turns at a database', () => {
  it('one account leaves a place to others, however much it asks for', async () => {
    const desk = new Desk();
    desk.ask('greedy', 100);
    expect(desk.count('greedy')).toBe(5);
    desk.ask('modest');
    expect(desk.count('modest')).toBe(1);
  });

  it('a free place goes to the account that has fewest', async () => {
    const desk = new Desk();
    desk.ask('greedy', 100);
    desk.ask('second', 100);
    expect(desk.count('second')).toBe(1);
    for (let n = 0; n < 2; n++) await desk.endOne('greedy');
    expect([desk.count('greedy'), desk.count('second')]).toEqual([3, 3]);
    desk.ask('third');
    await desk.endOne('greedy');
    expect([desk.count('greedy'), desk.count('second'), desk.count('third')]).toEqual([2, 3, 1]);
  });

  it('of accounts with as many, the one that waits longest', async () => {
    const desk = new Desk();
    desk.ask('first', 10);
    desk.ask('second', 10);
    for (let n = 0; n < 2; n++) await desk.endOne('first');
    desk.ask('third', 2);
    desk.ask('fourth', 2);
    await desk.endOne('first');
    await desk.endOne('first');
    expect([desk.count('third'), desk.count('fourth')]).toEqual([1, 1]);
  });

  it('what fails gives its place back, and its error', async () => {
    const turns = new FairQueue();
    const fail = (): Promise<void> => turns.run('account', () => Promise.reject(new Error('statement timeout')));
    for (let n = 0; n < 20; n++) await expect(fail()).rejects.toThrow('statement timeout');
  });

  it('refuses an account of which two hundred wait', async () => {
    const desk = new Desk();
    const asked = desk.ask('greedy', 206);
    await expect(asked.at(-1)).rejects.toThrow(RateLimited);
    for (let n = 0; n < 205; n++) await desk.endOne('greedy');
    await Promise.all(asked.slice(0, -1));
  });
});
