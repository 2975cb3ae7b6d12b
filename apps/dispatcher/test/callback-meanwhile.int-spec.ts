import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { CallbackReceiver, eventually } from '@lanyard/testing';
import { AddressGuard } from '../src/callback-client/address-guard.js';
import type { CallbackDelivery } from '../src/delivery/callback-delivery.js';
import { CallbackSender } from '../src/callback-client/callback-sender.js';
import { ShardAppender } from '../src/intake/shard-appender.js';
import { deliveryOf } from './parts.js';
import { anyTurn, queueBench } from './queue-bench.js';

describe('a callback that gets events while a request is under way', () => {
  const bench = queueBench();
  const { register, numbered, append, numbersIn, claimed, expectCountersToBeRight } = bench;
  let receiver: CallbackReceiver;
  let sender: CallbackSender;
  let delivery: CallbackDelivery;
  let appender: ShardAppender;
  /** Answers the request that waits for it. */
  let answer: (status: number) => void;

  beforeEach(async () => {
    receiver = await new CallbackReceiver().start();
    receiver.answer((_, response) => (answer = (status) => response.writeHead(status).end()));
    sender = new CallbackSender(new AddressGuard(['127.0.0.0/8']), bench.clock);
    const target = { url: receiver.url, headers: {} };
    delivery = deliveryOf({ queue: bench.queue, sender, clock: bench.clock, open: () => target });
    const [shard] = bench.keys.shards;
    if (!shard) throw new Error('no shard');
    const claimer = { offer: (channelId: string) => delivery.offer(channelId), withdraw: () => undefined };
    appender = new ShardAppender(shard, { ...bench, owner: 'a#1', claimer });
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
    expect((await append(numbered(1), appender)).claimed).toEqual([]);
    return { ended };
  };

  it('sends them once what it carries is confirmed', async () => {
    const { ended } = await begin();
    answer(200);
    await requests(2);
    expect(await bench.registry.inspect(bench.channelId)).toMatchObject({ events: 1 });
    answer(204);
    await ended;
    expect(await bench.registry.inspect(bench.channelId)).toMatchObject({ events: 0 });
    await expectCountersToBeRight();
  });

  it('removes nothing once another replica has the channel', async () => {
    const { ended } = await begin();
    await bench.releaseHeld('a#1');
    const claim = await claimed(bench.other);
    answer(200);
    await ended;
    expect(receiver.deliveries).toHaveLength(1);
    // What was under way is repeated as it was.
    expect(numbersIn(claim.batch)).toEqual([0]);
    expect(await bench.registry.inspect(bench.channelId)).toMatchObject({ events: 2 });
  });

  it('keeps what was refused, and not what was confirmed before', async () => {
    const { ended } = await begin();
    answer(200);
    await requests(2);
    answer(500);
    await ended;
    expect(await bench.registry.inspect(bench.channelId)).toMatchObject({ events: 1, failuresInRow: 1 });
    await expectCountersToBeRight();
  });

  it('sends nothing more once it goes elsewhere', async () => {
    const { ended } = await begin();
    await register();
    answer(200);
    await ended;
    expect(receiver.deliveries).toHaveLength(1);
    expect(await bench.registry.inspect(bench.channelId)).toMatchObject({ events: 1 });
  });
});
