import { describe, expect, it } from '@jest/globals';
import { RequestBatcher } from './request-batcher.js';

describe('RequestBatcher', () => {
  /** Answers are given by hand, one round after the other. */
  const byHand = () => {
    const rounds: { asked: readonly number[]; answer: (error?: Error) => void }[] = [];
    const batcher = new RequestBatcher<number, string>(
      (asked) =>
        new Promise((resolve, reject) => {
          rounds.push({
            asked,
            answer: (error) => (error ? reject(error) : resolve(asked.map((n) => `answer ${n}`))),
          });
        }),
    );
    return { batcher, rounds };
  };
  const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(() => setImmediate(resolve)));

  it('asks together what comes together, and what comes while two rounds are under way', async () => {
    const { batcher, rounds } = byHand();
    const first = [1, 2, 3].map((n) => batcher.submit(n));
    await nextTurn();
    const second = batcher.submit(4);
    await nextTurn();
    const third = [5, 6].map((n) => batcher.submit(n));
    await nextTurn();
    expect(rounds.map(({ asked }) => asked)).toEqual([[1, 2, 3], [4]]);
    rounds[0]?.answer();
    expect(await Promise.all(first)).toEqual(['answer 1', 'answer 2', 'answer 3']);
    await nextTurn();
    expect(rounds[2]?.asked).toEqual([5, 6]);
    rounds[1]?.answer();
    rounds[2]?.answer();
    expect(await Promise.all([second, ...third])).toEqual(['answer 4', 'answer 5', 'answer 6']);
  });

  it('fails only the requests of the failed batch', async () => {
    const { batcher, rounds } = byHand();
    const failed = Promise.allSettled([batcher.submit(1), batcher.submit(2)]);
    await nextTurn();
    rounds[0]?.answer(new Error('away'));
    expect((await failed).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    const later = batcher.submit(3);
    await nextTurn();
    rounds[1]?.answer();
    expect(await later).toBe('answer 3');
  });

  /** Refuses 3, with this code of PostgreSQL, from this function of its source code. */
  const refusing = (code: string, routine: string) => {
    const rounds: number[][] = [];
    const batcher = new RequestBatcher<number, string>(async (asked) => {
      rounds.push([...asked]);
      if (asked.includes(3)) throw Object.assign(new Error('refused'), { code, routine });
      return asked.map((n) => `answer ${n}`);
    });
    return { batcher, rounds };
  };
  const outcomesOf = async (batcher: RequestBatcher<number, string>): Promise<string[]> =>
    (await Promise.allSettled([1, 2, 3, 4].map((n) => batcher.submit(n)))).map((outcome) =>
      outcome.status === 'fulfilled' ? outcome.value : (outcome.reason as Error).message,
    );

  it.each([
    ['22021', 'report_invalid_encoding'],
    ['23505', '_bt_check_unique'],
    ['54000', '_bt_check_third_page'],
  ])('fails only the request whose data is refused (%s, %s)', async (code, routine) => {
    const { batcher, rounds } = refusing(code, routine);
    expect(await outcomesOf(batcher)).toEqual(['answer 1', 'answer 2', 'refused', 'answer 4']);
    expect(rounds).toEqual([[1, 2, 3, 4], [1, 2], [3, 4], [3], [4]]);
  });

  it.each([
    ['57P01', 'ProcessInterrupts'],
    ['ECONNRESET', ''],
    ['40P01', 'DeadLockReport'],
    ['54000', 'GetNewTransactionId'],
  ])('asks nothing again when the database is the reason (%s, %s)', async (code, routine) => {
    const { batcher, rounds } = refusing(code, routine);
    expect(await outcomesOf(batcher)).toEqual(['refused', 'refused', 'refused', 'refused']);
    expect(rounds).toEqual([[1, 2, 3, 4]]);
  });

  it('at a pace, the first is asked at once and those behind it together, later', async () => {
    const paceMs = 100;
    const rounds: { asked: readonly number[]; atMs: number }[] = [];
    const batcher = new RequestBatcher<number, number>(
      async (asked) => {
        rounds.push({ asked, atMs: performance.now() });
        return asked;
      },
      { paceMs },
    );
    const begunAtMs = performance.now();
    expect(await batcher.submit(1)).toBe(1);
    expect(await Promise.all([2, 3, 4].map((n) => batcher.submit(n)))).toEqual([2, 3, 4]);
    expect(rounds.map(({ asked }) => asked)).toEqual([[1], [2, 3, 4]]);
    // Timers may be a little early.
    expect((rounds[1]?.atMs ?? 0) - begunAtMs).toBeGreaterThan(0.9 * paceMs);
  });

  it('takes no more than 500 in one go', async () => {
    const { batcher, rounds } = byHand();
    const all = Array.from({ length: 1_100 }, (_, n) => batcher.submit(n));
    await nextTurn();
    expect(rounds.map(({ asked }) => asked.length)).toEqual([500, 500]);
    rounds[0]?.answer();
    rounds[1]?.answer();
    await nextTurn();
    rounds[2]?.answer();
    expect((await Promise.all(all)).length).toBe(1_100);
  });
});
