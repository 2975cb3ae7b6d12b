import { beforeEach, describe, expect, it } from '@jest/globals';
import { type Cursor, cursorAfter } from '../src/queue/event-batch.js';
import type { Attached, Hold } from '../src/queue/channel-queue.js';
import type { RedisLink } from '../src/queue/redis-link.js';
import { type CommandName, commandNames } from '../src/queue/scripts.js';
import { accountId, hourMs, queueBench } from './queue-bench.js';

/** Who lives says so by counting: once more does no harm. The others only read. */
const unchecked: readonly CommandName[] = ['heartbeat', 'time'];

describe('a command that Redis carries out twice, since its first answer was lost', () => {
  const bench = queueBench();
  const { register, event, numbered, append, claimed, expectCountersToBeRight } = bench;
  const seen = new Set<CommandName>();

  const content = async (key: string): Promise<unknown> => {
    const { redis } = bench.link;
    const type = await redis.type(key);
    if (type === 'hash') return redis.hgetall(key);
    if (type === 'list') return redis.lrange(key, 0, -1);
    if (type === 'zset') return redis.zrange(key, 0, -1, 'WITHSCORES');
    if (type === 'set') return (await redis.smembers(key)).sort();
    return redis.get(key);
  };

  const everything = async (): Promise<Record<string, unknown>> => {
    const keys = (await bench.link.redis.keys(`${bench.keys.ofChannel(bench.channelId).base}*`)).sort();
    return Object.fromEntries(await Promise.all(keys.map(async (key) => [key, await content(key)])));
  };

  let once: RedisLink['run'] | undefined;

  beforeEach(() => {
    const run = (once ??= bench.link.run.bind(bench.link));
    bench.link.run = async (name, keys, args) => {
      seen.add(name);
      const answer = await run(name, keys, args);
      const after = await everything();
      const second = await run(name, keys, args);
      expect({ name, ...(await everything()) }).toEqual({ name, ...after });
      return name === 'regroup' ? second : answer;
    };
  });

  /** Each test begins with so many events that are counted as dropped, and nothing to do with what follows. */
  const withDrops = async (kind: 'callback' | 'websocket' | 'pull', eventsMax = 3): Promise<void> => {
    await register({ kind, eventsMax });
    await append(numbered(9));
    await bench.clock.advance(25 * hourMs);
    expect(await dropped()).toBe(9);
  };

  const dropped = async (): Promise<number | undefined> => (await bench.registry.inspect(bench.channelId))?.dropped.age;

  type Held = Extract<Attached, { outcome: 'ok' }>;

  const attached = async (kind: 'websocket' | 'pull', after?: string): Promise<Held> => {
    const how = { conn: kind, mode: 'free', kind, ...(after !== undefined && { after }) } as const;
    const found = await bench.queue.attach(bench.channelId, accountId, how);
    if (found.outcome !== 'ok') throw new Error(found.outcome);
    return found;
  };

  const taken = async (hold: Hold, cursor: Cursor) => {
    const found = await bench.queue.readBatch(hold, cursor);
    if (found.outcome !== 'ok') throw new Error(found.outcome);
    return found;
  };

  it('delivers a callback once, and counts what was lost once', async () => {
    await withDrops('callback');
    await append(numbered(8));
    const claim = await claimed();
    expect(await bench.queue.confirm(claim.hold, claim.batch)).toBe(true);
    const { revision } = claim;
    const next = await bench.queue.ack(claim.hold, { ...claim.batch, from: 12, to: 12 }, 'next', { revision });
    expect(next).toMatchObject({ outcome: 'next', batch: { from: 12, to: 15 } });
    expect(await bench.queue.holds(claim.hold, claim.revision)).toBe(true);
    if (next.outcome === 'next') await bench.queue.fail(claim.hold, next.batch, 1_000, claim.revision);
    await bench.queue.postpone(bench.channelId, 500);
    await bench.clock.advance(1_000);
    const again = await claimed();
    expect(again.batch).toMatchObject({ from: 12, to: 15 });
    await bench.queue.detach(again.hold, again.batch.to);
    const last = await claimed();
    await bench.queue.ack(last.hold, last.batch, 'release', { revision: last.revision });
    expect(await dropped()).toBe(9);
    expect((await bench.registry.drops(bench.channelId))?.dropped.age).toBe(9);
    await expectCountersToBeRight();
  });

  it('puts what waits into another order once, and says so again', async () => {
    await register();
    const events = Array.from({ length: 40 }, (_, n) =>
      event(`{"ep":"d${n}"}`, { category: n % 2 ? 'reg-updates' : 'notifications' }),
    );
    await append(events);
    expect(seen).not.toContain('regroup');
    const claim = await claimed();
    expect(seen).toContain('regroup');
    expect(claim.batch.count).toBe(20);
    await expectCountersToBeRight();
  });

  it('gives a batch of a free account up once', async () => {
    await register({ tier: 'free' });
    await append(numbered(3));
    for (let attempt = 0; attempt < 2; attempt++) {
      const claim = await claimed();
      await bench.queue.fail(claim.hold, claim.batch, 0, claim.revision);
    }
    expect((await bench.registry.inspect(bench.channelId))?.dropped.failed).toBe(3);
  });

  it('corrects only once the count of events that were dropped in flight to a socket, and arrived', async () => {
    await withDrops('websocket');
    await append(numbered(6));
    const { hold, cursor } = await attached('websocket');
    const first = await taken(hold, cursor);
    const second = await taken(hold, cursorAfter(first.cursor, first.batch));
    await bench.clock.advance(25 * hourMs);
    expect(await dropped()).toBe(15);
    for (const { batch } of [first, second]) await bench.queue.confirm(hold, batch);
    expect(await dropped()).toBe(9);
    // The first one again: Redis has executed the second one since.
    await bench.queue.confirm(hold, first.batch);
    await bench.queue.confirm(hold, second.batch);
    expect(await dropped()).toBe(9);
    await expectCountersToBeRight();
  });

  it('confirms an answer of a poll once', async () => {
    await withDrops('pull');
    await append(numbered(6));
    const first = await attached('pull');
    const { batch } = await taken(first.hold, first.cursor);
    await bench.queue.detach(first.hold, batch.to);
    await bench.queue.requeuePending(bench.channelId, batch.to, first.incarnation);
    const second = await attached('pull');
    const answer = await taken(second.hold, second.cursor);
    expect(answer.batch).toMatchObject({ from: 9, to: 12 });
    await bench.queue.detach(second.hold, answer.batch.to);
    await bench.clock.advance(25 * hourMs);
    expect(await dropped()).toBe(15);
    await attached('pull');
    expect(await dropped()).toBe(12);
  });

  it('frees the channels of a replica that is gone, ends expired ones, and removes them', async () => {
    await withDrops('callback');
    await append(numbered(3));
    await claimed(bench.other);
    await bench.releaseHeld('b#1');
    expect((await claimed()).batch.count).toBe(3);
    await bench.clock.advance(60 * hourMs);
    expect(await bench.registry.claimExpired()).toEqual([{ channelId: bench.channelId, rule: 'idle' }]);
    const closed = await bench.registry.close(bench.channelId, '9');
    expect(closed).toMatchObject({ events: 3, dropped: { age: 9 } });
    await bench.registry.remove(bench.channelId, '9');
    expect(await bench.registry.inspect(bench.channelId)).toBeUndefined();
  });

  it('touches no key that it does not declare, as the bench checks', async () => {
    const [key = ''] = bench.keys.ofChannel(bench.channelId).forCommand();
    const args = [bench.channelId, bench.clock.now()];
    await expect(bench.link.run('postpone', [key], args)).rejects.toThrow('touches a key that is not declared');
  });

  it('is shown above for every command', () => {
    expect(commandNames.filter((name) => !seen.has(name) && !unchecked.includes(name))).toEqual([]);
  });
});
