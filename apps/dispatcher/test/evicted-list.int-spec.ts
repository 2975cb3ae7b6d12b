import { describe, expect, it } from '@jest/globals';
import { accountId, queueBench } from './queue-bench.js';
import { BodyBudget } from '../src/queue/body-budget.js';
import { ChannelQueue } from '../src/queue/channel-queue.js';
import { RecentChunks } from '../src/queue/recent-chunks.js';

describe('a queue whose list Redis evicted', () => {
  const bench = queueBench();
  const { register, append, numbered, numbersIn } = bench;

  const evict = (): Promise<number> =>
    bench.link.redis.del(bench.keys.ofChannel(bench.channelId).queue(bench.channelId));

  /** A replica that must read from Redis. */
  const forgetful = (): ChannelQueue =>
    new ChannelQueue(bench.link, bench.keys, bench.clock, 'b#1', new RecentChunks(0), new BodyBudget());

  const expectLost = async (size: number): Promise<void> =>
    expect(await bench.registry.inspect(bench.channelId)).toMatchObject({
      events: 0,
      bytes: 0,
      held: false,
      dropped: { size, age: 0, failed: 0 },
    });

  it('is released, counts the lost events, and continues: callback', async () => {
    await register();
    const queue = forgetful();
    await append(numbered(3));
    await evict();
    expect(await queue.claim(bench.channelId, '')).toBeUndefined();
    await expectLost(3);
    await append(numbered(2));
    const claim = await queue.claim(bench.channelId, '');
    expect(claim && numbersIn(claim.batch)).toEqual([0, 1]);
  });

  it('… when it is evicted while a batch is on its way', async () => {
    await register({ eventsMax: 2 });
    const queue = forgetful();
    await append(numbered(5));
    const claim = await queue.claim(bench.channelId, '');
    await evict();
    const acked = claim && (await queue.ack(claim.hold, claim.batch, 'next'));
    expect(acked).toEqual({ outcome: 'released', more: false });
    await expectLost(3);
  });

  it.each(['websocket', 'pull'] as const)('… %s', async (kind) => {
    await register({ kind });
    const queue = forgetful();
    await append(numbered(3));
    await evict();
    const how = { conn: 'c1', mode: 'free', kind } as const;
    const attached = await queue.attach(bench.channelId, accountId, how);
    if (attached.outcome !== 'ok') throw new Error(attached.outcome);
    expect(await queue.readBatch(attached.hold, attached.cursor)).toEqual({ outcome: 'empty' });
    await queue.release(attached.hold);
    await expectLost(3);
  });

  it('… of which a poll has delivered a part', async () => {
    await register({ kind: 'pull', eventsMax: 2 });
    const queue = forgetful();
    const how = { conn: 'c1', mode: 'free', kind: 'pull' } as const;
    await append(numbered(5));
    const first = await queue.attach(bench.channelId, accountId, how);
    if (first.outcome !== 'ok') throw new Error(first.outcome);
    const taken = await queue.readBatch(first.hold, first.cursor);
    if (taken.outcome !== 'ok') throw new Error(taken.outcome);
    await queue.release(first.hold, taken.batch.to);
    await evict();
    const second = await queue.attach(bench.channelId, accountId, how);
    expect(second.outcome).toBe('ok');
    if (second.outcome === 'ok') await queue.release(second.hold);
    await expectLost(3);
  });

  it('a claim that cannot be made a batch of is let go', async () => {
    await register({ eventsMax: 1 });
    await append(numbered(1));
    const list = bench.keys.ofChannel(bench.channelId).queue(bench.channelId);
    await bench.link.redis.lset(list, 0, Buffer.from('0000000002408f400000000000', 'hex'));
    await expect(forgetful().claim(bench.channelId, '')).rejects.toThrow();
    expect((await bench.registry.inspect(bench.channelId))?.held).toBe(false);
  });
});
