import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { newId } from '@lanyard/service';
import type { Hold } from '../src/queue/channel-queue.js';
import { ChannelRegistry, type Registration } from '../src/queue/channel-registry.js';
import type { RedisLink } from '../src/queue/redis-link.js';

import { accountId, hourMs, queueBench } from './queue-bench.js';

describe('the channels that Redis knows', () => {
  const bench = queueBench();
  const { register, numbered, append, claimed } = bench;

  describe('register, remove and expire', () => {
    it('a new configuration keeps the bench.queue; an older bench.revision changes nothing', async () => {
      const createdAtMs = bench.clock.now();
      expect(await register({ createdAtMs })).toBe('created');
      await append(numbered(2));
      expect(await register({ createdAtMs, target: 'new' })).toBe('updated');
      expect(await register({ createdAtMs, revision: '1', target: 'old' })).toBe('kept');
      expect(await claimed()).toMatchObject({ target: 'new', batch: { count: 2 } });
    });

    it('a removed channel leaves nothing', async () => {
      await register({ kind: 'websocket' });
      await append(numbered(2));
      await bench.queue.attach(bench.channelId, accountId, { conn: 'c1', mode: 'newest', kind: 'websocket' });
      await bench.registry.remove(bench.channelId, '9');
      const left = await bench.link.redis.keys(`${bench.keys.ofChannel(bench.channelId).base}*`);
      const { positions, owners } = bench.keys.ofChannel(bench.channelId);
      expect(left.sort()).toEqual([owners, positions].sort());
      expect(await bench.link.redis.exists(bench.keys.account(accountId))).toBe(0);
    });

    it('one whose removal is not answered leaves the set of its account', async () => {
      await register();
      const link = Object.create(bench.link) as RedisLink;
      link.run = async (...command) => {
        await bench.link.run(...command);
        throw new Error('Connection is closed.');
      };
      const removed = new ChannelRegistry(link, bench.keys, bench.clock).remove(bench.channelId, '9');
      await expect(removed).rejects.toThrow('closed');
      expect(await bench.link.redis.exists(bench.keys.account(accountId))).toBe(0);
    });

    it('one that was registered while it was removed stays in the set of its account', async () => {
      await register();
      const link = Object.create(bench.link) as RedisLink;
      link.run = async (...command) => {
        const reply = await bench.link.run(...command);
        if (command[0] === 'remove') await register({ revision: '10' });
        return reply;
      };
      await new ChannelRegistry(link, bench.keys, bench.clock).remove(bench.channelId, '9');
      expect(await bench.link.redis.smembers(bench.keys.account(accountId))).toEqual([bench.channelId]);
    });

    it.each<[string, Partial<Registration>, number, string]>([
      ['48 h without incoming data', { kind: 'callback' }, 48 * hourMs, 'idle'],
      ['24 h without a socket', { kind: 'websocket' }, 24 * hourMs, 'no-socket'],
      ['10 min without a poll', { kind: 'pull' }, hourMs / 6, 'no-poll'],
    ])('a channel ends after %s', async (_, fields, afterMs, rule) => {
      await register(fields);
      expect(await bench.registry.claimExpired()).toEqual([]);
      await bench.clock.advance(afterMs - 1_000);
      expect(await bench.registry.claimExpired()).toEqual([]);
      await bench.clock.advance(1_000);
      expect(await bench.registry.claimExpired()).toEqual([{ channelId: bench.channelId, rule }]);
      expect(await bench.registry.claimExpired()).toEqual([]);
    });

    it('a callback ends after 24 h of failed delivery, not of success', async () => {
      await register();
      for (let hour = 0; hour < 30; hour++) {
        await append(numbered(1));
        const claim = await claimed();
        await (hour < 5
          ? bench.queue.ack(claim.hold, claim.batch, 'release')
          : bench.queue.fail(claim.hold, claim.batch, 1_000, claim.revision));
        expect(await bench.registry.claimExpired()).toEqual([]);
        if (hour < 28) await bench.clock.advance(hourMs);
        else break;
      }
      await bench.clock.advance(hourMs);
      expect(await bench.registry.claimExpired()).toEqual([{ channelId: bench.channelId, rule: 'failed' }]);
    });

    describe('a free callback', () => {
      /** Its batch is tried as often as a free account may, and given up. */
      const giveUp = async (): Promise<void> => {
        await append(numbered(1));
        for (let failures = 0; failures < 2; failures++) {
          const claim = await claimed();
          await bench.queue.fail(claim.hold, claim.batch, 1_000, claim.revision);
          await bench.clock.advance(1_000);
        }
      };

      it('does not end because a batch was given up and then nothing came for a day', async () => {
        await register({ tier: 'free' });
        await giveUp();
        await bench.clock.advance(25 * hourMs);
        expect(await bench.registry.claimExpired()).toEqual([]);
        await append(numbered(1));
        expect(await bench.registry.isExpired(bench.channelId)).toBe(false);
      });

      it('ends when all that came in 24 h was given up', async () => {
        await register({ tier: 'free' });
        for (let hour = 0; hour < 24; hour++) {
          await giveUp();
          expect(await bench.registry.claimExpired()).toEqual([]);
          await bench.clock.advance(hourMs);
        }
        await giveUp();
        expect(await bench.registry.claimExpired()).toEqual([{ channelId: bench.channelId, rule: 'failed' }]);
      });

      it('without a recorded time of its last failure continues until it fails again', async () => {
        await register({ tier: 'free' });
        await giveUp();
        await bench.link.redis.hdel(bench.keys.ofChannel(bench.channelId).channel(bench.channelId), 'failAt');
        await bench.clock.advance(25 * hourMs);
        expect(await bench.registry.claimExpired()).toEqual([]);
        await giveUp();
        expect(await bench.registry.isExpired(bench.channelId)).toBe(true);
      });
    });

    it('a held channel does not expire for want of a socket', async () => {
      await register({ kind: 'websocket' });
      await bench.queue.attach(bench.channelId, accountId, { conn: 'c1', mode: 'newest', kind: 'websocket' });
      await bench.clock.advance(30 * hourMs);
      await append(numbered(1));
      expect(await bench.registry.claimExpired()).toEqual([]);
    });
  });

  it('a key that is no set is named where the revisions of many channels are read', async () => {
    await register();
    const other = newId();
    const key = bench.keys.account(other);
    await bench.link.redis.set(key, 'a text');
    const channels = [accountId, other].map((id) => ({ keyId: bench.channelId, accountId: id }));
    const refused: unknown = await bench.registry.revisions(channels).catch((error: unknown) => error);
    // As Redis says it, because the beginning and the name tell what kind of error it is.
    expect(refused).toMatchObject({ name: 'ReplyError', message: expect.stringMatching(/^WRONGTYPE /) });
    expect(String(refused)).toContain(` (sismember ${key})`);
  });

  it('a channel whose key was replaced by hand stops no other, and is registered again', async () => {
    const replaced = newId();
    const all = [bench.channelId, replaced];
    for (const channelId of all) await register({ channelId, kind: 'pull' });
    const appendToAll = (): Promise<unknown> => append([bench.event('{"n":1}', { audience: all })]);
    await appendToAll();
    const shard = bench.keys.ofChannel(replaced);
    await bench.link.redis.set(shard.channel(replaced), 'a text');
    await appendToAll();
    expect(await bench.registry.inspect(bench.channelId)).toMatchObject({ events: 2 });
    expect(await bench.registry.inspect(replaced)).toBeUndefined();
    expect(await bench.registry.claimExpired()).toEqual([]);
    expect(await bench.registry.revisions(all.map((keyId) => ({ keyId, accountId })))).toEqual(['1', '']);
    expect(await bench.registry.revisionOf(replaced)).toBe('');
    expect(await register({ channelId: replaced, kind: 'pull' })).toBe('created');
    await appendToAll();
    expect(await bench.registry.inspect(replaced)).toMatchObject({ events: 1 });
    expect(await bench.link.redis.llen(shard.queue(replaced))).toBe(1);
  });

  it('a channel whose key was deleted by hand begins again, and what it had queued counts as dropped', async () => {
    await register();
    await append(numbered(3));
    await bench.link.redis.del(bench.keys.ofChannel(bench.channelId).channel(bench.channelId));
    expect(await register()).toBe('created');
    await append(numbered(2));
    await bench.expectCountersToBeRight();
    const dropped = { size: 3, age: 0, failed: 0 };
    expect(await bench.registry.inspect(bench.channelId)).toMatchObject({ events: 2, dropped });
    expect(await bench.registry.dropping().next()).toMatchObject({ value: [bench.channelId] });
    const { hold, batch } = await claimed();
    expect(bench.numbersIn(batch)).toEqual([0, 1]);
    expect(await bench.queue.ack(hold, batch, 'next')).toEqual({ outcome: 'released', more: false });
    expect(await bench.registry.inspect(bench.channelId)).toMatchObject({ events: 0, dropped });
  });

  it('releasing what a replica holds frees sockets and callbacks, and names the sockets', async () => {
    await register({ kind: 'websocket' });
    await bench.queue.attach(bench.channelId, accountId, { conn: 'c1', mode: 'newest', kind: 'websocket' });
    expect(await bench.releaseHeld('a#1')).toEqual([bench.channelId]);
    expect(await bench.registry.inspect(bench.channelId)).toMatchObject({ held: false });
  });

  it('knows which events are stored together at the head of a queue, and have not left it', async () => {
    await register({ eventsMax: 1 });
    const now = bench.clock.now();
    await append([bench.event('{"n":0}', {}, now - 1_000), bench.event('{"n":1}', {}, now)]);
    const areAtHead = (): Promise<boolean[]> =>
      Promise.all([0, 1, 2].map((n) => bench.registry.isAtHead(bench.channelId, Buffer.from(`{"n":${n}}`))));
    expect(await areAtHead()).toEqual([true, true, false]);
    const { hold, batch } = await claimed();
    await bench.queue.ack(hold, batch, 'release');
    expect(await areAtHead()).toEqual([false, true, false]);
  });

  it('tells when a poll was bound to the channel last', async () => {
    const createdAtMs = bench.clock.now();
    await register({ kind: 'pull' });
    expect(await bench.registry.inspect(bench.channelId)).toMatchObject({ held: false, lastSeenAtMs: createdAtMs });
    await bench.clock.advance(60_000);
    const how = { conn: 'p', mode: 'free', kind: 'pull' } as const;
    const attached = await bench.queue.attach(bench.channelId, accountId, how);
    if (attached.outcome !== 'ok') throw new Error(attached.outcome);
    await bench.clock.advance(1_000);
    await bench.queue.detach(attached.hold);
    const lastSeenAtMs = createdAtMs + 61_000;
    expect(await bench.registry.inspect(bench.channelId)).toMatchObject({ held: false, lastSeenAtMs });
  });

  describe('the address of the client that is connected', () => {
    const attach = async (conn: string, address: string, by = bench.queue): Promise<Hold> => {
      const how = { conn, mode: 'newest', kind: 'websocket', address } as const;
      const attached = await by.attach(bench.channelId, accountId, how);
      if (attached.outcome !== 'ok') throw new Error(attached.outcome);
      return attached.hold;
    };
    const connectedFrom = async (): Promise<unknown> => (await bench.registry.inspect(bench.channelId))?.connectedFrom;
    const hash = (): string => bench.keys.ofChannel(bench.channelId).channel(bench.channelId);
    const stored = (): Promise<string | null> => bench.link.redis.hget(hash(), 'address');

    it('is that of the newest socket, until this one is closed', async () => {
      await register({ kind: 'websocket' });
      expect(await connectedFrom()).toBeUndefined();
      const older = await attach('c1', '192.0.2.7');
      expect(await connectedFrom()).toBe('192.0.2.7');
      const newer = await attach('c2', '2001:db8::7', bench.other);
      await bench.queue.release(older);
      expect(await connectedFrom()).toBe('2001:db8::7');
      await bench.other.release(newer);
      expect(await connectedFrom()).toBeUndefined();
      expect(await stored()).toBeNull();
    });

    it('ends with the replica', async () => {
      await register({ kind: 'websocket' });
      await attach('c1', '192.0.2.7');
      await bench.releaseHeld('a#1');
      expect(await connectedFrom()).toBeUndefined();
      expect(await stored()).toBeNull();
    });

    it('is unknown if it was left there when a replica of the previous version attached another socket', async () => {
      await register({ kind: 'websocket' });
      await attach('c1', '192.0.2.7');
      await bench.link.redis.hset(hash(), { owner: 'b#1', conn: 'c2', token: randomUUID() });
      expect(await connectedFrom()).toBeUndefined();
      expect(await bench.registry.inspect(bench.channelId)).toMatchObject({ held: true });
    });

    it('is not that of an earlier channel of the key', async () => {
      await register({ kind: 'websocket' });
      await attach('c1', '192.0.2.7');
      await register({ kind: 'callback' });
      await append(numbered(1));
      await claimed();
      expect(await bench.registry.inspect(bench.channelId)).toMatchObject({ held: true, connectedFrom: undefined });
    });
  });
});
