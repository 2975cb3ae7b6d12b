import { afterAll, beforeAll, beforeEach, expect } from '@jest/globals';
import type { Category, FramedItem } from '@lanyard/contracts';
import { createLogger, newId } from '@lanyard/service';
import { infrastructure, TestClock } from '@lanyard/testing';
import type { Turn } from '../src/delivery/callback-delivery.js';
import { type IntakeBatch, IntakeEvent } from '../src/intake/intake-event.js';
import { channelEvents } from '../src/intake/audience.js';
import { ShardAppender } from '../src/intake/shard-appender.js';
import type { AppendOutcome } from '../src/queue/append-outcome.js';
import { type EventBatch } from '../src/queue/event-batch.js';
import { BodyBudget } from '../src/queue/body-budget.js';
import { releaseHeld } from '../src/queue/release-held.js';
import { ChannelQueue, type Claim } from '../src/queue/channel-queue.js';
import { ChannelRegistry, type Registration } from '../src/queue/channel-registry.js';
import { chunkCost, readHead } from '../src/queue/chunk.js';
import { Keys } from '../src/queue/keys.js';
import { RecentChunks } from '../src/queue/recent-chunks.js';
import { RedisLink } from '../src/queue/redis-link.js';
import { checkDeclaredKeys } from './declared-keys.js';

const logger = createLogger({ app: 'test', replicaId: 'test', level: 'silent' });
export const accountId = newId();
export const hourMs = 3_600_000;

/** A turn without competitors: it never ends. */
export const anyTurn = (): Turn => ({ signal: new AbortController().signal, lingerMs: 0, mayContinue: () => true });

/** Commands on the queues of one shard, on the real Redis, for each test a corner of its own. */
export const queueBench = (redisUrl = () => infrastructure().redisUrl) => {
  const bench = {} as {
    link: RedisLink;
    keys: Keys;
    clock: TestClock;
    registry: ChannelRegistry;
    appender: ShardAppender;
    /** Of the replica `a#1`. */
    recent: RecentChunks;
    queue: ChannelQueue;
    /** Of another replica. */
    other: ChannelQueue;
    channelId: string;
    offset: bigint;
    revision: number;
  };

  beforeAll(async () => {
    checkDeclaredKeys();
    bench.link = await RedisLink.open(redisUrl(), logger);
  });

  afterAll(() => bench.link?.close());

  beforeEach(async () => {
    const { link } = bench;
    const keys = new Keys(`test-${newId()}:`, 1);
    const clock = new TestClock(Date.now());
    const registry = new ChannelRegistry(link, keys, clock);
    const recent = new RecentChunks(10_000_000);
    const queue = new ChannelQueue(link, keys, clock, 'a#1', recent, new BodyBudget());
    const other = new ChannelQueue(link, keys, clock, 'b#1', new RecentChunks(0), new BodyBudget());
    Object.assign(bench, { keys, clock, registry, recent, queue, other, channelId: newId(), offset: -1n, revision: 1 });
    bench.appender = await newAppender();
  });

  const newAppender = async (): Promise<ShardAppender> => {
    const shard = bench.keys.shards[0];
    if (!shard) throw new Error('no shard');
    const { link, clock, recent } = bench;
    const appenderOfShard = new ShardAppender(shard, { link, clock, owner: 'a#1', recent });
    appenderOfShard.setGeneration((await bench.registry.generations())[0] ?? '');
    return appenderOfShard;
  };

  const register = (fields: Partial<Registration> = {}): Promise<string> =>
    bench.registry.register({
      channelId: bench.channelId,
      accountId,
      kind: 'callback',
      revision: String(bench.revision++),
      render: 0,
      eventsMax: 10_000,
      tier: 'commercial',
      target: 'sealed',
      createdAtMs: bench.clock.now(),
      dropped: { size: 0, age: 0, failed: 0 },
      keepFailures: false,
      stopped: undefined,
      ...fields,
    });

  const releaseAllHeld = (owner: string): Promise<string[]> =>
    releaseHeld(bench.link, bench.keys.ofChannel(bench.channelId), owner, bench.clock.now());

  const event = (json: string, fields: Partial<FramedItem> = {}, at = bench.clock.now()): IntakeEvent =>
    new IntakeEvent(++bench.offset, at, {
      item: Buffer.from(json),
      category: 'notifications',
      accountId,
      audience: [bench.channelId],
      endpointName: 'e',
      uid: 'u',
      ...fields,
    });

  const numbered = (count: number, category: Category = 'notifications'): IntakeEvent[] =>
    Array.from({ length: count }, (_, n) => event(`{"n":${n}}`, { category }));

  const batchOf = (events: IntakeEvent[], partition = 0): IntakeBatch => ({
    topic: 'device.values',
    partition,
    lastOffset: events.at(-1)?.offset ?? bench.offset,
    events,
  });

  const append = (events: IntakeEvent[], by = bench.appender, batch = batchOf(events)): Promise<AppendOutcome> =>
    by.append([batch], channelEvents([batch], new Map()));

  const claimed = async (by = bench.queue): Promise<Claim> => {
    const claim = await by.claim(bench.channelId, '');
    if (!claim) throw new Error('nothing to claim');
    return claim;
  };

  const numbersIn = ({ message }: EventBatch): number[] =>
    Object.values(JSON.parse(message.toBuffer().toString()) as Record<string, { n: number }[]>)
      .flat()
      .map(({ n }) => n);

  /** Compares the counters with a full count of what is stored. */
  const expectCountersToBeRight = async (): Promise<void> => {
    const shard = bench.keys.ofChannel(bench.channelId);
    const chunks = await bench.link.redis.lrangeBuffer(shard.queue(bench.channelId), 0, -1);
    const [n, bytes, skip] = await bench.link.redis.hmget(shard.channel(bench.channelId), 'n', 'bytes', 'skip');
    expect(Number(n ?? 0)).toBe(chunks.reduce((sum, chunk) => sum + readHead(chunk).count, 0) - Number(skip ?? 0));
    expect(Number(bytes ?? 0)).toBe(chunks.reduce((sum, chunk) => sum + chunkCost(chunk), 0));
  };

  return Object.assign(bench, {
    newAppender,
    register,
    releaseHeld: releaseAllHeld,
    event,
    numbered,
    batchOf,
    append,
    claimed,
    numbersIn,
    expectCountersToBeRight,
  });
};
