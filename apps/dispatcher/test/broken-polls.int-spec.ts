import { describe, expect, it } from '@jest/globals';
import type { Attached } from '../src/queue/channel-queue.js';
import { accountId, queueBench } from './queue-bench.js';

describe('an answer of a poll', () => {
  const bench = queueBench();
  const { register, append, numbered } = bench;

  const poll = (after?: string, by = bench.queue): Promise<Attached> => {
    const how = { conn: 'p', mode: 'free', kind: 'pull', ...(after !== undefined && { after }) } as const;
    return by.attach(bench.channelId, accountId, how);
  };

  it('whose connection breaks late is not taken for one of the channel made since', async () => {
    /** The mark of the queue that the answer, of two events, is from. */
    const answered = async (): Promise<string> => {
      await register({ kind: 'pull' });
      await append(numbered(2));
      const attached = await poll();
      if (attached.outcome !== 'ok') throw new Error(attached.outcome);
      const read = await bench.queue.readBatch(attached.hold, attached.cursor);
      expect(read).toMatchObject({ batch: { from: 0, to: 2 } });
      await bench.queue.detach(attached.hold, 2);
      return attached.incarnation;
    };
    const former = await answered();
    await bench.registry.remove(bench.channelId, '9');
    await bench.clock.advance(1);
    await answered();
    await bench.queue.requeuePending(bench.channelId, 2, former);
    expect(await poll()).toMatchObject({ outcome: 'ok', cursor: { next: 2 } });
  });

  it('that a replica sent before it was killed is confirmed by a client that has it, and by no other', async () => {
    await register({ kind: 'pull', eventsMax: 2 });
    await append(numbered(5));
    const killed = async (after: string): Promise<string> => {
      // It reads the events from Redis, where they are in one piece.
      const attached = await poll(after, bench.other);
      if (attached.outcome !== 'ok') throw new Error(attached.outcome);
      const read = await bench.other.readBatch(attached.hold, attached.cursor);
      expect(read).toMatchObject({ batch: { from: 0, to: 2 } });
      await bench.releaseHeld('b#1');
      return attached.incarnation;
    };
    const incarnation = await killed('-');
    expect(await killed('other/2')).toBe(incarnation);
    expect(await poll(`${incarnation}/2`)).toMatchObject({ outcome: 'ok', cursor: { next: 2 } });
    await bench.expectCountersToBeRight();
  });
});
