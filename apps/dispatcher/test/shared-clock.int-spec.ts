import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { createLogger, systemClock } from '@lanyard/service';
import { infrastructure } from '@lanyard/testing';
import { RedisLink } from '../src/queue/redis-link.js';
import { SharedClock } from '../src/queue/shared-clock.js';

const hourMs = 3_600_000;

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
