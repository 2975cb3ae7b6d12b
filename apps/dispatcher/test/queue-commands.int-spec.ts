import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Category, FramedItem } from '@lanyard/contracts';
import { createLogger, newId, TestClock } from '@lanyard/service';
import { engines } from '@lanyard/testing';
import { eventLifeMs, queueBytesMax } from '../src/channels/limits.js';
import { type IntakeBatch, IntakeEvent } from '../src/intake/intake-event.js';
import { deliveries } from '../src/intake/audience.js';
import { type AppendOutcome, PositionsLost, ShardAppender } from '../src/intake/shard-appender.js';
import { type Batch, cursorAfter, cursorConfirmed, joinExtents } from '../src/queue/batch.js';
import { ChannelQueue, type Claim } from '../src/queue/channel-queue.js';
import { ChannelRegistry, type Registration } from '../src/queue/channel-registry.js';
import { chunkCost, readHead } from '../src/queue/chunk.js';
import { Keys } from '../src/queue/keys.js';
import { RedisLink } from '../src/queue/redis-link.js';
import { asText } from '../src/queue/reply.js';

const logger = createLogger({ app: 'test', replicaId: 'test', level: 'silent' });
const accountId = newId();
const hourMs = 3_600_000;

describe('the commands on queues', () => {
  let link: RedisLink;
  let keys: Keys;
  let clock: TestClock;
  let registry: ChannelRegistry;
  let appender: ShardAppender;
  let queue: ChannelQueue;
  let other: ChannelQueue;
  let channelId: string;
  let offset: bigint;
  let revision: number;

  beforeAll(async () => {
    link = await RedisLink.open(engines().redisUrl, logger);
  });

  afterAll(() => link.close());

  beforeEach(async () => {
    keys = new Keys(`test-${newId()}:`, 1);
    clock = new TestClock(Date.now());
    registry = new ChannelRegistry(link, keys, clock);
    queue = new ChannelQueue(link, keys, clock, 'a#1');
    other = new ChannelQueue(link, keys, clock, 'b#1');
    appender = await newAppender();
    channelId = newId();
    offset = -1n;
    revision = 1;
  });

  const newAppender = async (): Promise<ShardAppender> => {
    const shard = keys.shards[0];
    if (!shard) throw new Error('no shard');
    const appenderOfShard = new ShardAppender(link, shard, clock);
    appenderOfShard.setGeneration((await registry.generations())[0] ?? '');
    return appenderOfShard;
  };

  const register = (fields: Partial<Registration> = {}): Promise<string> =>
    registry.register({
      channelId,
      accountId,
      kind: 'callback',
      revision: String(revision++),
      render: 0,
      eventsMax: 10_000,
      tier: 'commercial',
      target: 'sealed',
      createdAtMs: clock.now(),
      ...fields,
    });

  const event = (json: string, fields: Partial<FramedItem> = {}, at = clock.now()): IntakeEvent =>
    new IntakeEvent(++offset, at, {
      item: Buffer.from(json),
      category: 'notifications',
      accountId,
      audience: [channelId],
      endpointName: 'e',
      uid: 'u',
      ...fields,
    });

  const numbered = (count: number, category: Category = 'notifications'): IntakeEvent[] =>
    Array.from({ length: count }, (_, n) => event(`{"n":${n}}`, { category }));

  const batchOf = (events: IntakeEvent[], partition = 0): IntakeBatch => ({
    topic: 'device.values',
    partition,
    lastOffset: events.at(-1)?.offset ?? offset,
    events,
  });

  const append = (events: IntakeEvent[], by = appender, batch = batchOf(events)): Promise<AppendOutcome> =>
    by.append([batch], deliveries([batch], new Map()));

  const claimed = async (by = queue): Promise<Claim> => {
    const claim = await by.claim(channelId, '');
    if (!claim) throw new Error('nothing to claim');
    return claim;
  };

  const numbersIn = ({ body }: Batch): number[] =>
    Object.values(JSON.parse(body.toString()) as Record<string, { n: number }[]>)
      .flat()
      .map(({ n }) => n);

  /** Books against a full count of what is stored. */
  const expectBooksToBeRight = async (): Promise<void> => {
    const shard = keys.of(channelId);
    const chunks = await link.redis.lrangeBuffer(shard.queue(channelId), 0, -1);
    const [n, bytes, skip] = await link.redis.hmget(shard.channel(channelId), 'n', 'bytes', 'skip');
    expect(Number(n ?? 0)).toBe(chunks.reduce((sum, chunk) => sum + readHead(chunk).count, 0) - Number(skip ?? 0));
    expect(Number(bytes ?? 0)).toBe(chunks.reduce((sum, chunk) => sum + chunkCost(chunk), 0));
  };

  describe('append', () => {
    it('appends a batch once, however often it comes', async () => {
      await register();
      const batch = batchOf(numbered(250));
      const first = await append(batch.events, appender, batch);
      expect(first).toMatchObject({ events: 250, callbacksReady: true });
      await append(batch.events, appender, batch);
      // Another replica, which knows nothing of the positions.
      await append(batch.events, await newAppender(), batch);
      expect((await registry.inspect(channelId))?.events).toBe(250);
      await expectBooksToBeRight();
    });

    it('appends what is new of a batch that came in part before', async () => {
      await register();
      const events = numbered(10);
      await append(events.slice(0, 4));
      await append(events, await newAppender());
      expect(numbersIn((await claimed()).batch)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    });

    it('says that positions are lost when Redis is behind what was appended', async () => {
      await register();
      await append(numbered(3));
      await link.redis.hset(keys.of(channelId).positions, 'device.values:0', '1');
      await expect(append(numbered(2))).rejects.toMatchObject({ topics: ['device.values'] });
    });

    it('says that everything is lost when the mark is gone', async () => {
      await register();
      await link.redis.del(keys.of(channelId).positions);
      await expect(append(numbered(1))).rejects.toBeInstanceOf(PositionsLost);
    });

    it('renders again for a channel whose options it did not know', async () => {
      await register({ render: 1 });
      await append([event('{"ep":1}')]);
      await register({ render: 3 });
      await append([event('{"ep":2}', {}, 1_700_000_000_000 + clock.now())]);
      const { batch } = await claimed();
      expect(batch.body.toString()).toBe(
        `{"notifications":[{"ep":1,"uid":"u"},{"ep":2,"uid":"u","timestamp":${1_700_000_000_000 + clock.now()}}]}`,
      );
    });

    it('a key without a channel, or of another account, gets nothing', async () => {
      await register();
      const stranger = event('{"n":1}', { audience: [newId()] });
      const foreign = event('{"n":2}', { accountId: newId() });
      expect(await append([stranger, foreign])).toMatchObject({ events: 0, skipped: { noChannel: 2 } });
    });

    it('what was queued before the channel was made is not for it', async () => {
      await register();
      const outcome = await append([event('{"n":1}', {}, clock.now() - 60_000), event('{"n":2}')]);
      expect(outcome).toMatchObject({ events: 1, skipped: { beforeChannel: 1 } });
    });

    it('drops the oldest beyond 50 MB, and counts them', async () => {
      await register();
      const text = `{"n":1,"x":"${'x'.repeat(100_000)}"}`;
      for (let n = 0; n < 6; n++) await append(Array.from({ length: 100 }, () => event(text)));
      const state = await registry.inspect(channelId);
      expect(state?.bytes).toBeLessThanOrEqual(queueBytesMax);
      expect(state?.bytes).toBeGreaterThan(queueBytesMax - 200_000);
      expect((state?.events ?? 0) + (state?.dropped.size ?? 0)).toBe(600);
      await expectBooksToBeRight();
    });

    it('160,000 events of 100 bytes fit', async () => {
      await register();
      const json = `{"n":1,"x":"${'x'.repeat(86)}"}`;
      expect(json).toHaveLength(100);
      for (let n = 0; n < 16; n++) await append(Array.from({ length: 10_000 }, () => event(json)));
      expect(await registry.inspect(channelId)).toMatchObject({ events: 160_000, dropped: { size: 0 } });
    });

    it('drops what is older than 24 h, and counts it', async () => {
      await register();
      await append(numbered(5));
      await clock.advance(eventLifeMs + 1_000);
      await append(numbered(2));
      expect(await registry.inspect(channelId)).toMatchObject({ events: 2, dropped: { age: 5 } });
      await expectBooksToBeRight();
    });

    it('wakes whoever holds the channel', async () => {
      await register({ kind: 'websocket' });
      expect((await append(numbered(1))).wake).toEqual([]);
      await queue.attach(channelId, accountId, { conn: 'c1', mode: 'newest', kind: 'websocket' });
      expect(await append(numbered(1))).toMatchObject({ wake: [[channelId, 'a#1']], callbacksReady: false });
    });
  });

  describe('claim, ack and fail', () => {
    it('one replica at a time; the next batch follows the one before', async () => {
      await register({ eventsMax: 3 });
      await append(numbered(7));
      const claim = await claimed();
      expect(await other.claim(channelId, '')).toBeUndefined();
      expect(numbersIn(claim.batch)).toEqual([0, 1, 2]);
      const next = await queue.ack(claim.hold, claim.batch, 'next', 0);
      if (next.outcome !== 'next') throw new Error(next.outcome);
      expect(numbersIn(next.batch)).toEqual([3, 4, 5]);
      await expectBooksToBeRight();
      expect(await queue.ack(claim.hold, next.batch, 'release', 0)).toEqual({ outcome: 'released', more: true });
      const last = await claimed(other);
      expect(numbersIn(last.batch)).toEqual([6]);
      expect(await other.ack(last.hold, last.batch, 'next', 0)).toEqual({ outcome: 'released', more: false });
      await expectBooksToBeRight();
    });

    it('categories do not mix in a batch', async () => {
      await register();
      await append([...numbered(2), ...numbered(1, 'registrations'), ...numbered(1)]);
      const { hold, batch } = await claimed();
      expect(batch).toMatchObject({ category: 'notifications', count: 2 });
      const next = await queue.ack(hold, batch, 'next', 0);
      expect(next).toMatchObject({ outcome: 'next', batch: { category: 'registrations', count: 1 } });
    });

    it('a failed batch stays and comes again when due', async () => {
      await register();
      await append(numbered(2));
      const claim = await claimed();
      expect(await queue.fail(claim.hold, claim.batch, 1_000)).toMatchObject({
        attempt: 1,
        failingSinceMs: clock.now(),
      });
      expect(await queue.claim(channelId, '')).toBeUndefined();
      await append(numbered(1));
      expect(await queue.claim(channelId, '')).toBeUndefined();
      await clock.advance(1_000);
      expect(await claimed()).toMatchObject({ attempt: 1, batch: { count: 3 } });
    });

    it('a free account gives a batch up after one retry, and the next is sent', async () => {
      await register({ tier: 'free', eventsMax: 2 });
      await append(numbered(4));
      const first = await claimed();
      expect(await queue.fail(first.hold, first.batch, 1_000)).toMatchObject({ attempt: 1, givenUp: 0 });
      await clock.advance(1_000);
      const second = await claimed();
      expect(await queue.fail(second.hold, second.batch, 2_000)).toMatchObject({ attempt: 0, givenUp: 2 });
      expect(numbersIn((await claimed()).batch)).toEqual([2, 3]);
      expect(await registry.inspect(channelId)).toMatchObject({ dropped: { failed: 2 } });
    });

    it('a replica taken for dead changes nothing any more', async () => {
      await register();
      await append(numbered(3));
      const zombie = await claimed();
      const { base, ready } = keys.of(channelId);
      await link.run('bury-1', [ready], [base, 'a#1', clock.now()]);
      const heir = await claimed(other);
      expect(await queue.ack(zombie.hold, zombie.batch, 'release', 0)).toEqual({ outcome: 'fenced' });
      expect(await queue.fail(zombie.hold, zombie.batch, 1_000)).toEqual({ outcome: 'fenced' });
      expect(await queue.detach(zombie.hold)).toBe(false);
      expect(numbersIn(heir.batch)).toEqual([0, 1, 2]);
      expect(await other.ack(heir.hold, heir.batch, 'release', 0)).toEqual({ outcome: 'released', more: false });
    });

    it('events dropped while they were on their way, and arrived, are not counted as dropped', async () => {
      await register();
      await append(Array.from({ length: 100 }, () => event(`{"n":1,"x":"${'x'.repeat(100_000)}"}`)));
      const claim = await claimed();
      for (let n = 0; n < 5; n++)
        await append(Array.from({ length: 100 }, () => event(`{"n":2,"x":"${'x'.repeat(100_000)}"}`)));
      const dropped = (await registry.inspect(channelId))?.dropped.size ?? 0;
      expect(dropped).toBeGreaterThan(claim.batch.count);
      await queue.ack(claim.hold, claim.batch, 'release', 0);
      const state = await registry.inspect(channelId);
      expect(state?.dropped.size).toBe(dropped - claim.batch.count);
      expect((state?.events ?? 0) + (state?.dropped.size ?? 0) + claim.batch.count).toBe(600);
      await expectBooksToBeRight();
    });

    it('the target is handed out only to who does not know it', async () => {
      await register({ target: 'sealed-1' });
      await append(numbered(1));
      const claim = await claimed();
      expect(claim.target).toBe('sealed-1');
      await queue.detach(claim.hold);
      expect((await queue.claim(channelId, claim.revision))?.target).toBe('');
    });
  });

  describe('attach, take and confirm', () => {
    const socket = (conn: string) => ({ conn, mode: 'newest', kind: 'websocket' }) as const;
    const attached = async (by: ChannelQueue, conn: string) => {
      const result = await by.attach(channelId, accountId, socket(conn));
      if (result.outcome !== 'ok') throw new Error(result.outcome);
      return result;
    };

    it('a window of batches, confirmed together', async () => {
      await register({ kind: 'websocket', eventsMax: 40 });
      await append(numbered(250));
      const { hold, cursor: start } = await attached(queue, 'c1');
      let cursor = start;
      const window: Batch[] = [];
      const seen: number[] = [];
      for (;;) {
        const taken = await queue.take(hold, cursor);
        if (taken.outcome !== 'ok') break;
        window.push(taken.batch);
        seen.push(...numbersIn(taken.batch));
        cursor = cursorAfter(taken.cursor, taken.batch);
        if (window.length < 3) continue;
        const extent = joinExtents(window.splice(0));
        expect(await queue.confirm(hold, extent)).toBe(true);
        cursor = cursorConfirmed(cursor, extent);
        await expectBooksToBeRight();
      }
      expect(await queue.confirm(hold, joinExtents(window))).toBe(true);
      expect(seen).toEqual(Array.from({ length: 250 }, (_, n) => n));
      expect(await registry.inspect(channelId)).toMatchObject({ events: 0, bytes: 0 });
    });

    it('finds its place again when events were dropped under it', async () => {
      await register({ kind: 'websocket', eventsMax: 30 });
      await append(numbered(150));
      await clock.advance(20 * hourMs);
      await append(numbered(50));
      const { hold, cursor } = await attached(queue, 'c1');
      const first = await queue.take(hold, cursor);
      if (first.outcome !== 'ok') throw new Error(first.outcome);
      await clock.advance(5 * hourMs);
      const next = await queue.take(hold, cursorAfter(first.cursor, first.batch));
      if (next.outcome !== 'ok') throw new Error(next.outcome);
      expect(next.batch).toMatchObject({ from: 150, to: 180 });
      expect(numbersIn(next.batch)[0]).toBe(0);
      await expectBooksToBeRight();
    });

    it('the newest socket wins, and names the one before', async () => {
      await register({ kind: 'websocket' });
      await append(numbered(1));
      const older = await attached(queue, 'c1');
      const newer = await attached(other, 'c2');
      expect(newer.previous).toEqual({ owner: 'a#1', conn: 'c1' });
      expect(await queue.take(older.hold, older.cursor)).toEqual({ outcome: 'fenced' });
      expect((await other.take(newer.hold, newer.cursor)).outcome).toBe('ok');
    });

    it('a poll does not take over from another; what it delivered is confirmed by the next', async () => {
      await register({ kind: 'pull', eventsMax: 2 });
      await append(numbered(3));
      const poll = (by: ChannelQueue, conn: string) =>
        by.attach(channelId, accountId, { conn, mode: 'free', kind: 'pull' });
      const first = await poll(queue, 'p1');
      if (first.outcome !== 'ok') throw new Error(first.outcome);
      expect(await poll(other, 'p2')).toEqual({ outcome: 'busy' });
      const taken = await queue.take(first.hold, first.cursor);
      if (taken.outcome !== 'ok') throw new Error(taken.outcome);
      await queue.detach(first.hold, taken.batch.to);
      const second = await poll(other, 'p2');
      if (second.outcome !== 'ok') throw new Error(second.outcome);
      const rest = await other.take(second.hold, second.cursor);
      if (rest.outcome !== 'ok') throw new Error(rest.outcome);
      expect(numbersIn(rest.batch)).toEqual([2]);
      await other.detach(second.hold, rest.batch.to);
      await other.unpend(channelId, rest.batch.to);
      const third = await poll(queue, 'p3');
      expect(third).toMatchObject({ outcome: 'ok', cursor: { next: 2 } });
      await expectBooksToBeRight();
    });

    it('says what is in the way', async () => {
      expect(await queue.attach(channelId, accountId, socket('c'))).toEqual({ outcome: 'missing' });
      await register();
      expect(await queue.attach(channelId, newId(), socket('c'))).toEqual({ outcome: 'missing' });
      expect(await queue.attach(channelId, accountId, socket('c'))).toEqual({ outcome: 'kind', kind: 'callback' });
    });
  });

  describe('register, remove and lapse', () => {
    it('a new configuration keeps the queue; an older revision changes nothing', async () => {
      const createdAtMs = clock.now();
      expect(await register({ createdAtMs })).toBe('created');
      await append(numbered(2));
      expect(await register({ createdAtMs, target: 'new' })).toBe('updated');
      expect(await register({ createdAtMs, revision: '1', target: 'old' })).toBe('kept');
      expect(await claimed()).toMatchObject({ target: 'new', batch: { count: 2 } });
    });

    it('a removed channel leaves nothing', async () => {
      await register({ kind: 'websocket' });
      await append(numbered(2));
      await queue.attach(channelId, accountId, { conn: 'c1', mode: 'newest', kind: 'websocket' });
      expect(await registry.remove(channelId)).toEqual({ owner: 'a#1', conn: 'c1' });
      const left = await link.redis.keys(`${keys.of(channelId).base}*`);
      expect(left).toEqual([keys.of(channelId).positions]);
      expect(await link.redis.exists(keys.account(accountId))).toBe(0);
    });

    it.each<[string, Partial<Registration>, number, string]>([
      ['48 h without incoming data', { kind: 'callback' }, 48 * hourMs, 'idle'],
      ['24 h without a socket', { kind: 'websocket' }, 24 * hourMs, 'no-socket'],
      ['10 min without a poll', { kind: 'pull' }, hourMs / 6, 'no-poll'],
    ])('a channel ends after %s', async (_, fields, afterMs, rule) => {
      await register(fields);
      expect(await registry.lapsed()).toEqual([]);
      await clock.advance(afterMs - 1_000);
      expect(await registry.lapsed()).toEqual([]);
      await clock.advance(1_000);
      expect(await registry.lapsed()).toEqual([{ channelId, rule }]);
      expect(await registry.lapsed()).toEqual([]);
    });

    it('a callback ends after 24 h of failed delivery, not of success', async () => {
      await register();
      for (let hour = 0; hour < 30; hour++) {
        await append(numbered(1));
        const claim = await claimed();
        await (hour < 5
          ? queue.ack(claim.hold, claim.batch, 'release', 0)
          : queue.fail(claim.hold, claim.batch, 1_000));
        expect(await registry.lapsed()).toEqual([]);
        if (hour < 28) await clock.advance(hourMs);
        else break;
      }
      await clock.advance(hourMs);
      expect(await registry.lapsed()).toEqual([{ channelId, rule: 'failed' }]);
    });

    it('a held channel does not lapse for want of a socket', async () => {
      await register({ kind: 'websocket' });
      await queue.attach(channelId, accountId, { conn: 'c1', mode: 'newest', kind: 'websocket' });
      await clock.advance(30 * hourMs);
      await append(numbered(1));
      expect(await registry.lapsed()).toEqual([]);
    });
  });

  it('burying a replica frees sockets and callbacks, and names the sockets', async () => {
    await register({ kind: 'websocket' });
    await queue.attach(channelId, accountId, { conn: 'c1', mode: 'newest', kind: 'websocket' });
    const { base, ready } = keys.of(channelId);
    const reply = await link.run('bury-1', [ready], [base, 'a#1', clock.now()]);
    expect((reply as Buffer[]).map((r) => asText(r))).toEqual([channelId]);
    expect(await registry.inspect(channelId)).toMatchObject({ held: false });
  });
});
