import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createLogger } from '@lanyard/service';
import { RedisLink } from '../src/queue/redis-link.js';
import { OwnRedis } from './own-redis.js';

describe('a Redis that deletes keys when its memory is full', () => {
  const lines: string[] = [];
  const destination = { write: (line: string) => void lines.push(line) };
  const logger = createLogger({ app: 'test', replicaId: 'test', level: 'warn', destination });
  let redis: OwnRedis;

  beforeAll(async () => {
    redis = await OwnRedis.start();
  });

  afterAll(() => redis?.stop());

  it.each(['allkeys-lru', 'allkeys-lfu', 'allkeys-random'])('is refused at the start: %s', async (policy) => {
    await redis.evictionPolicy(policy);
    await expect(RedisLink.open(redis.url, logger)).rejects.toThrow(/REDIS_URL .*noeviction/);
  });

  it('is accepted, with a warning, while it spares keys that do not expire', async () => {
    await redis.evictionPolicy('volatile-lru');
    (await RedisLink.open(redis.url, logger)).close();
    expect(lines.join('')).toContain('volatile-lru');
  });

  it('does not warn of noeviction', async () => {
    await redis.evictionPolicy('noeviction');
    lines.length = 0;
    (await RedisLink.open(redis.url, logger)).close();
    expect(lines.join('')).not.toContain('maxmemory-policy');
  });
});
