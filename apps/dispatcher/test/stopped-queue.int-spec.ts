import { describe, expect, it } from '@jest/globals';
import { AddressGuard } from '../src/callback-client/address-guard.js';
import type { CallbackDelivery } from '../src/delivery/callback-delivery.js';
import { CallbackSender } from '../src/callback-client/callback-sender.js';
import { Replicas } from '../src/replicas/replicas.js';
import type { Attached, ChannelQueue } from '../src/queue/channel-queue.js';
import type { Registration } from '../src/queue/channel-registry.js';
import { createLogger, systemClock } from '@lanyard/service';
import { CallbackReceiver, eventually } from '@lanyard/testing';
import { deliveryOf } from './parts.js';
import { accountId, anyTurn, hourMs, queueBench } from './queue-bench.js';

const logger = createLogger({ app: 'test', replicaId: 'test', level: 'silent' });

describe('the queue of a callback that is stopped', () => {
  const bench = queueBench();
  const { register, numbered, append, claimed, numbersIn } = bench;

  const stop = (fields: Partial<Registration> = {}): Promise<string> =>
    register({ keepFailures: true, stopped: { reason: 'key_reset', sinceMs: bench.clock.now() }, ...fields });

  const due = async (): Promise<string[]> =>
    bench.link.redis.zrange(bench.keys.ofChannel(bench.channelId).ready, 0, -1);

  it('fills, and is not due; it becomes due when it may continue', async () => {
    const createdAtMs = bench.clock.now();
    await register({ createdAtMs });
    await append(numbered(1));
    expect(await stop({ createdAtMs })).toBe('updated');
    expect(await due()).toEqual([]);
    expect(await append(numbered(2))).toMatchObject({ events: 2, callbacksReady: false });
    expect(await due()).toEqual([]);
    await register({ createdAtMs, keepFailures: true });
    expect((await claimed()).batch.count).toBe(3);
  });

  it.each<[string, () => Promise<void>]>([
    [
      'delivered',
      async () => {
        const { hold, batch, revision } = await claimed();
        await stop({ createdAtMs: bench.clock.now() });
        expect(await bench.queue.ack(hold, batch, 'next', { revision })).toMatchObject({ outcome: 'released' });
      },
    ],
    [
      'not delivered',
      async () => {
        const { hold, batch, revision } = await claimed();
        await stop({ createdAtMs: bench.clock.now() });
        await bench.queue.fail(hold, batch, 0, revision);
        expect(await bench.registry.inspect(bench.channelId)).toMatchObject({
          failuresInRow: 0,
          failingSinceMs: undefined,
        });
      },
    ],
    [
      'given back',
      async () => {
        const { hold } = await claimed();
        await stop({ createdAtMs: bench.clock.now() });
        await bench.queue.detach(hold);
      },
    ],
    [
      'held by a replica that dies',
      async () => {
        await claimed();
        await stop({ createdAtMs: bench.clock.now() });
        await bench.releaseHeld('a#1');
      },
    ],
  ])('a batch under way, then %s: nothing goes after it', async (_, end) => {
    await register({ eventsMax: 1 });
    await append(numbered(3));
    await end();
    expect(await due()).toEqual([]);
    await bench.link.redis.zadd(bench.keys.ofChannel(bench.channelId).ready, 0, bench.channelId);
    expect(await bench.other.claim(bench.channelId, '')).toBeUndefined();
    expect(await bench.registry.inspect(bench.channelId)).toMatchObject({ held: false });
  });

  it('is removed after 24 h of that, not of failure', async () => {
    const createdAtMs = bench.clock.now();
    await register({ createdAtMs });
    await append(numbered(1));
    const { hold, batch, revision } = await claimed();
    await bench.queue.fail(hold, batch, 1_000, revision);
    await bench.clock.advance(20 * hourMs);
    await stop({ createdAtMs });
    expect(await bench.registry.claimExpired()).toEqual([]);
    await bench.clock.advance(24 * hourMs - 1);
    expect(await bench.registry.claimExpired()).toEqual([]);
    await bench.clock.advance(1);
    expect(await bench.registry.claimExpired()).toEqual([{ channelId: bench.channelId, rule: 'stopped' }]);
    expect(await bench.registry.isExpired(bench.channelId)).toBe(true);
    await register({ createdAtMs });
    expect(await bench.registry.isExpired(bench.channelId)).toBe(false);
  });

  it('a request to a URL that was replaced meanwhile has not failed', async () => {
    const createdAtMs = bench.clock.now();
    await register({ createdAtMs });
    await append(numbered(2));
    const old = await claimed();
    await register({ createdAtMs, target: 'new' });
    await bench.queue.fail(old.hold, old.batch, 120_000, old.revision);
    const next = await claimed();
    expect(next).toMatchObject({ attempt: 0, target: 'new' });
    expect(numbersIn(next.batch)).toEqual([0, 1]);
  });

  it('a late end of a channel does not end its successor', async () => {
    await register({ revision: '5' });
    expect(await bench.registry.close(bench.channelId, '4')).toBeUndefined();
    await bench.registry.remove(bench.channelId, '4');
    await append(numbered(1));
    expect(await claimed()).toMatchObject({ batch: { count: 1 } });
    expect(await bench.registry.close(bench.channelId, '5')).toMatchObject({ events: 1 });
  });

  describe('and a replica', () => {
    const delivery = (isUndecided = (): boolean => false): { delivery: CallbackDelivery; sender: CallbackSender } => {
      const sender = new CallbackSender(new AddressGuard(['127.0.0.0/8']), systemClock);
      const { queue, clock } = bench;
      return {
        delivery: deliveryOf({ queue, sender, clock, isUndecided, open: (url) => ({ url, headers: {} }) }),
        sender,
      };
    };

    /** The process does not run: what comes in waits in the kernel, as when it is suspended. */
    const standStill = (forMs: number): void => {
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, forMs);
    };

    it.each<[string, Record<string, string>, number]>([
      ['stopped', { stopped: 'key_reset' }, 0],
      ['registered elsewhere', { target: 'http://127.0.0.1:9/elsewhere', rev: '99' }, 0],
      ['left as it is', { lastIn: '1' }, 1],
    ])('that was suspended between claim and request, while it was %s', async (_, change, requests) => {
      const receiver = await new CallbackReceiver().start();
      const { delivery: paused, sender } = delivery();
      const createdAtMs = bench.clock.now();
      await register({ createdAtMs, target: receiver.url });
      await append(numbered(1));
      const delivering = paused.deliver(bench.channelId, anyTurn());
      // Sent behind the claim, on the same connection.
      const changed = bench.link.redis.hset(bench.keys.ofChannel(bench.channelId).channel(bench.channelId), change);
      standStill(1_200);
      await Promise.all([delivering, changed]);
      expect(receiver.calls).toHaveLength(requests);
      expect(await bench.registry.inspect(bench.channelId)).toMatchObject({ held: false, events: 1 - requests });
      sender.close();
      await receiver.stop();
    });

    it('that knows of a change of the key sends nothing before it is decided', async () => {
      const receiver = await new CallbackReceiver().start();
      let undecided = true;
      const { delivery: cautious, sender } = delivery(() => undecided);
      await register({ target: receiver.url });
      await append(numbered(1));
      const deliver = (): Promise<boolean> => cautious.deliver(bench.channelId, anyTurn());
      await deliver();
      expect(receiver.calls).toHaveLength(0);
      undecided = false;
      await deliver();
      expect(receiver.calls).toHaveLength(0);
      await bench.clock.advance(500);
      await deliver();
      expect(receiver.calls).toHaveLength(1);
      sender.close();
      await receiver.stop();
    });
  });

  it('one that claimed a channel after its release and died before its next heartbeat: the channel is free again', async () => {
    await register();
    await append(numbered(1));
    await claimed();
    const heir = new Replicas(bench.link, bench.keys, systemClock, 'b#1', logger, { evict: async () => undefined });
    await heir.start();
    const inspected = () => bench.registry.inspect(bench.channelId);
    try {
      await eventually(async () => expect(await inspected()).toMatchObject({ held: false }));
    } finally {
      await heir.stop();
    }
    await bench.clock.advance(hourMs);
    expect((await claimed(bench.other)).batch.count).toBe(1);
  });

  describe('a claim that is answered after a loss of Redis, as by a cluster that it was sent to again', () => {
    /** The recovery releases what the replica held before Redis gets the claim. */
    const answeredLate = <T>(claiming: Promise<T>): Promise<T> => {
      bench.link.redis.emit('close');
      return claiming;
    };

    it('leaves the callback to other replicas', async () => {
      await register();
      await append(numbered(1));
      expect(await answeredLate(bench.queue.claim(bench.channelId, ''))).toBeUndefined();
      expect((await claimed(bench.other)).batch.count).toBe(1);
    });

    it('is made again for a poll, after which the next one may come', async () => {
      await register({ kind: 'pull' });
      const attach = (conn: string): Promise<Attached> =>
        bench.queue.attach(bench.channelId, accountId, { conn, mode: 'free', kind: 'pull' });
      const attached = await answeredLate(attach('p1'));
      if (attached.outcome !== 'ok') throw new Error(attached.outcome);
      expect(await bench.queue.release(attached.hold)).toBe(true);
      expect(await attach('p2')).toMatchObject({ outcome: 'ok' });
    });

    it('is made again for a socket, which still names the older socket of another replica', async () => {
      await register({ kind: 'websocket' });
      const attach = (queue: ChannelQueue, conn: string): Promise<Attached> =>
        queue.attach(bench.channelId, accountId, { conn, mode: 'newest', kind: 'websocket' });
      expect(await attach(bench.other, 'older')).toMatchObject({ outcome: 'ok' });
      const attached = await answeredLate(attach(bench.queue, 'newer'));
      expect(attached).toMatchObject({ outcome: 'ok', previous: { owner: 'b#1', conn: 'older' } });
    });
  });
});
