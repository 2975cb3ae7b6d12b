import { describe, expect, it } from '@jest/globals';
import { accountId, queueBench } from './queue-bench.js';

describe('an answer of a poll', () => {
  const bench = queueBench();
  const { register, append, numbered } = bench;

  it('whose connection breaks late is not taken for one of the channel made since', async () => {
    const poll = () => bench.queue.attach(bench.channelId, accountId, { conn: 'p', mode: 'free', kind: 'pull' });
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
});
