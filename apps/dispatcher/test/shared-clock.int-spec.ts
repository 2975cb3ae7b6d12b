import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { createLogger, systemClock } from '@lanyard/service';
import { infrastructure } from '@lanyard/testing';
import { DueChannels } from '../src/delivery/due-channels.js';
import { retryWaitMaxMs } from '../src/delivery/retry-schedule.js';
import { RedisLink } from '../src/queue/redis-link.js';
import { SharedClock } from '../src/queue/shared-clock.js';
import { hourMs, queueBench } from './queue-bench.js';

/** Longer than a question to Redis takes, and far less than an hour. */
const slackMs = 60_000;

describe('the clock of what is stored', () => {
  const wallClock = Date.now;
  let link: RedisLink;
  let clock: SharedClock;

  const redisMs = async (): Promise<number> => Number((await link.redis.time())[0]) * 1_000;

  beforeAll(async () => {
    const logger = createLogger({ app: 'test', replicaId: 'test', level: 'silent' });
    link = await RedisLink.open(infrastructure().redisUrl, logger);
  });

  afterAll(() => link.close());

  afterEach(() => {
    clock.stop();
    Date.now = wallClock;
  });

  it('goes as Redis does, whatever the wall clock says', async () => {
    clock = new SharedClock(systemClock, link, 'any');
    await clock.start();
    const before = await redisMs();
    Date.now = () => wallClock() + hourMs;
    expect(Math.abs(clock.now() - before)).toBeLessThan(slackMs);
    Date.now = () => wallClock() - hourMs;
    expect(Math.abs(clock.now() - before)).toBeLessThan(slackMs);
  });

  it('jumps when an injected clock does', async () => {
    clock = new SharedClock({ ...systemClock, now: () => Date.now() + 5 * hourMs }, link, 'any');
    await clock.start();
    expect(Math.abs(clock.now() - (await redisMs()) - 5 * hourMs)).toBeLessThan(slackMs);
  });
});

describe('the time of Redis, set back while a callback waits for its retry,', () => {
  const bench = queueBench();

  const due = async (): Promise<string[]> =>
    (await new DueChannels(bench.link, bench.keys, bench.clock, 'a#1').find(1, new Set())).due;

  it('does not delay the retry by as much', async () => {
    await bench.register();
    await bench.append(bench.numbered(1));
    const { hold, batch, revision } = await bench.claimed();
    await bench.queue.fail(hold, batch, retryWaitMaxMs, revision);
    expect(await due()).toEqual([]);
    expect(await bench.queue.claim(bench.channelId, '')).toBeUndefined();
    bench.clock.adjust(-hourMs);
    expect(await due()).toEqual([bench.channelId]);
    expect((await bench.claimed()).batch.count).toBe(1);
  });
});
