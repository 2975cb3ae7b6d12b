import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { CallbackReceiver, eventually } from '@lanyard/testing';
import { AddressGuard } from '../src/callback-client/address-guard.js';
import type { CallbackDelivery } from '../src/delivery/callback-delivery.js';
import { CallbackSender } from '../src/callback-client/callback-sender.js';
import { ShardAppender } from '../src/intake/shard-appender.js';
import type { Extent } from '../src/queue/event-batch.js';
import { BodyBudget } from '../src/queue/body-budget.js';
import { ChannelQueue, type Confirmed, type Hold } from '../src/queue/channel-queue.js';
import { deliveryOf } from './parts.js';
import { anyTurn, queueBench } from './queue-bench.js';

/** Its confirmations wait until they are let through. */
class GatedQueue extends ChannelQueue {
  waiting = 0;
  private open!: () => void;
  private readonly gate = new Promise<void>((resolve) => (this.open = resolve));

  letThrough(): void {
    this.open();
  }

  override async confirm(hold: Hold, extent: Extent, revision?: string): Promise<Confirmed> {
    this.waiting++;
    await this.gate;
    return super.confirm(hold, extent, revision);
  }
}

describe('a callback that gets events while a request is under way', () => {
  const bench = queueBench();
  const { register, numbered, append, numbersIn, claimed, expectBooksToBeRight } = bench;
  let receiver: CallbackReceiver;
  let sender: CallbackSender;
  let queue: GatedQueue;
  let delivery: CallbackDelivery;
  let appender: ShardAppender;
  /** Answers the request that waits for it. */
  let answer: (status: number) => void;

  beforeEach(async () => {
    receiver = await new CallbackReceiver().start();
    receiver.answer((_, response) => (answer = (status) => response.writeHead(status).end()));
    sender = new CallbackSender(new AddressGuard(['127.0.0.0/8']), bench.clock);
    queue = new GatedQueue(bench.link, bench.keys, bench.clock, 'a#1', bench.recent, new BodyBudget());
    const target = { url: receiver.url, headers: {} };
    delivery = deliveryOf({ queue, sender, clock: bench.clock, open: () => target });
    const [shard] = bench.keys.shards;
    if (!shard) throw new Error('no shard');
    const claimer = { offer: (channelId: string) => delivery.offer(channelId), withdraw: () => undefined };
    appender = new ShardAppender(bench.link, shard, bench.clock, 'a#1', bench.recent, claimer);
    appender.setGeneration((await bench.registry.generations())[0] ?? '');
  });

  afterEach(async () => {
    sender.close();
    await receiver.stop();
  });

  const requests = (count: number): Promise<void> => eventually(() => expect(receiver.deliveries).toHaveLength(count));

  /** The first event is on its way, the second came after it. */
  const begin = async (): Promise<{ ended: Promise<unknown> }> => {
    await register();
    await append(numbered(1), appender);
    const ended = delivery.deliver(bench.channelId, anyTurn());
    await requests(1);
    const { pushed, claimed } = await append(numbered(1), appender);
    expect([pushed.length, claimed.length]).toEqual([1, 0]);
    // On a machine that stands still, the permit would end.
    for (const { channelId, permit } of pushed)
      delivery.push({ channelId, permit: { ...permit, provenAtMs: Infinity } });
    return { ended };
  };

  it('sends them while what arrived before them is being confirmed', async () => {
    const { ended } = await begin();
    answer(200);
    await requests(2);
    expect(queue.waiting).toBe(1);
    answer(204);
    queue.letThrough();
    await ended;
    expect(await bench.registry.inspect(bench.channelId)).toMatchObject({ events: 0 });
    await expectBooksToBeRight();
  });

  it('removes nothing once another replica has the channel', async () => {
    const { ended } = await begin();
    answer(200);
    await requests(2);
    await bench.releaseHeld('a#1');
    const claim = await claimed(bench.other);
    answer(200);
    queue.letThrough();
    await ended;
    expect(numbersIn(claim.batch)).toEqual([0, 0]);
    expect(await bench.registry.inspect(bench.channelId)).toMatchObject({ events: 2 });
  });

  it('keeps what was refused, and not what was confirmed meanwhile', async () => {
    const { ended } = await begin();
    answer(200);
    await requests(2);
    answer(500);
    queue.letThrough();
    await ended;
    expect(await bench.registry.inspect(bench.channelId)).toMatchObject({ events: 1, failuresInRow: 1 });
    await expectBooksToBeRight();
  });

  it('is given nothing once it goes elsewhere', async () => {
    const { ended } = await begin();
    await register();
    expect((await append(numbered(1), appender)).pushed).toEqual([]);
    answer(200);
    await requests(2);
    answer(200);
    queue.letThrough();
    await ended;
    expect(receiver.deliveries).toHaveLength(2);
    expect(await bench.registry.inspect(bench.channelId)).toMatchObject({ events: 1 });
  });
});
