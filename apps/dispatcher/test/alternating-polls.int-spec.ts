import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Category } from '@lanyard/contracts';
import type { Channels } from '../src/channels/channels.js';
import { type Found, Pull } from '../src/connections/pull.js';
import type { LastMessages } from '../src/delivery/last-messages.js';
import type { Telemetry } from '../src/delivery/telemetry.js';
import { BodyBudget } from '../src/queue/body-budget.js';
import type { ChannelQueue } from '../src/queue/channel-queue.js';
import { Holders } from '../src/replicas/holders.js';
import { accountId, queueBench } from './queue-bench.js';

const devices = 20;

interface Seen {
  ep: string;
  n: number;
}

describe('a poll for which values and updates alternate', () => {
  const bench = queueBench();
  const { register, event, append, expectCountersToBeRight } = bench;
  let count = 0;
  let pull: Pull;
  /** Of another replica. */
  let elsewhere: Pull;

  const pullOf = (queue: ChannelQueue): Pull =>
    new Pull(
      queue,
      new Holders(),
      bench.clock,
      { delivered: () => undefined } as unknown as Telemetry,
      { add: () => undefined } as unknown as LastMessages,
      {} as unknown as Channels,
      new BodyBudget(),
    );

  beforeEach(async () => {
    count = 0;
    pull = pullOf(bench.queue);
    elsewhere = pullOf(bench.other);
    await register({ kind: 'pull' });
  });

  const one = (category: Category, ep: string): Promise<unknown> =>
    append([event(JSON.stringify({ ep, n: count++ }), { category })]);

  /** Of every device a value and an update, each appended by itself as they come at a low rate. */
  const alternating = async (rounds: number): Promise<void> => {
    for (let round = 0; round < rounds; round++)
      for (let d = 0; d < devices; d++)
        for (const category of ['notifications', 'reg-updates'] as const) await one(category, `d${d}`);
  };

  const poll = (after: string | undefined, by = pull): Promise<Found | undefined> => {
    const poller = { keyId: bench.channelId, accountId, tier: 'commercial', requestId: 'request' } as const;
    return by.poll(poller, { noWait: true, after, address: '192.0.2.7' }, new AbortController().signal);
  };

  const seenIn = ({ body }: Found): Seen[] =>
    Object.values(JSON.parse(body.toString()) as Record<string, Seen[]>).flat();

  const found = async (after: string | undefined, by?: Pull): Promise<Found> => {
    const answer = await poll(after, by);
    if (!answer) throw new Error('nothing came');
    return answer;
  };

  const answered = async (after: string | undefined, by?: Pull): Promise<Found> => {
    const answer = await found(after, by);
    await answer.written();
    return answer;
  };

  /** Everything that is queued behind an answer, answer by answer, from one replica and the other in turn. */
  const drain = async (after: string): Promise<Seen[][]> => {
    const answers: Seen[][] = [];
    for (let next = after; ;) {
      const answer = await poll(next, answers.length % 2 === 0 ? pull : elsewhere);
      await expectCountersToBeRight();
      if (!answer) return answers;
      await answer.written();
      answers.push(seenIn(answer));
      next = answer.next;
    }
  };

  /** Each once, and those of a device in order. */
  const expectInOrder = (seen: readonly Seen[]): void => {
    expect(seen.map(({ n }) => n).toSorted((a, b) => a - b)).toEqual(Array.from({ length: count }, (_, n) => n));
    for (let d = 0; d < devices; d++) {
      const numbers = seen.filter(({ ep }) => ep === `d${d}`).map(({ n }) => n);
      expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
    }
  };

  const expectSame = (again: Found, before: Found): void => {
    expect(seenIn(again)).toEqual(seenIn(before));
    expect(again.next).toBe(before.next);
  };

  it('gets many of one category at once, each event once and in order', async () => {
    await alternating(3);
    const answers = await drain('0');
    expect(answers.map(({ length }) => length)).toEqual([20, 20, 20, 20, 20, 20]);
    expectInOrder(answers.flat());
    expect(await bench.registry.inspect(bench.channelId)).toMatchObject({ events: 0 });
  });

  it('gets an answer again as it was, until it says that it has it', async () => {
    await alternating(2);
    const first = await answered('0');
    await alternating(1);
    expectSame(await answered('0', elsewhere), first);
    expectSame(await answered('0'), first);
    const second = await answered(first.next, elsewhere);
    expectSame(await answered(first.next), second);
    expectInOrder([first, second].flatMap(seenIn).concat((await drain(second.next)).flat()));
  });

  const lost: [string, (answer: Found) => Promise<void>][] = [
    ['was not written', (answer) => answer.notWritten()],
    [
      'was written to a connection that broke',
      async (answer) => {
        await answer.written();
        await answer.broken();
      },
    ],
    [
      'was written by a replica that is gone',
      async () => {
        await bench.releaseHeld('a#1');
      },
    ],
  ];

  it.each(lost)('gets an answer again as it was that %s', async (_, lose) => {
    await alternating(2);
    const first = await found(undefined);
    await lose(first);
    await alternating(1);
    const again = await answered(undefined, elsewhere);
    expectSame(again, first);
    expectInOrder([...seenIn(again), ...(await drain(again.next)).flat()]);
  });

  it.each(lost.slice(1))('does not get an answer again that %s if it says that it has it', async (_, lose) => {
    await alternating(2);
    const first = await found('0');
    await lose(first);
    await alternating(1);
    expectInOrder([...seenIn(first), ...(await drain(first.next)).flat()]);
  });

  it('gets a small answer that it does not confirm again before what came meanwhile', async () => {
    await one('notifications', 'd1');
    await one('reg-updates', 'd2');
    const first = await answered('0');
    expect(seenIn(first)).toMatchObject([{ ep: 'd1', n: 0 }]);
    await alternating(1);
    expectSame(await answered('0', elsewhere), first);
    const answers = await drain(first.next);
    expect(answers.length).toBeLessThan(8);
    expectInOrder([...seenIn(first), ...answers.flat()]);
  });
});
