import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { redisClient, type RedisClient } from '@lanyard/service';
import { eventually } from '@lanyard/testing';
import { OwnRedis } from './own-redis.js';

describe('a Redis that has become a replica', () => {
  let redis: OwnRedis;
  let client: RedisClient;

  beforeAll(async () => {
    redis = await OwnRedis.start();
    client = redisClient(redis.url, { retryStrategy: () => 20 });
    client.on('error', () => undefined);
  });

  afterAll(async () => {
    client?.disconnect();
    await redis?.stop();
  });

  const write = (): Promise<unknown> => client.eval("return redis.call('SET', KEYS[1], ARGV[1])", 1, 'key', 'value');

  it('is left for whichever is the master now, when it refuses a write of a command', async () => {
    let connections = 0;
    client.on('connect', () => connections++);
    await eventually(async () => expect(await write()).toBe('OK'));
    const before = connections;
    await redis.ask('REPLICAOF', '127.0.0.1', '1');
    await expect(write()).rejects.toThrow('READONLY');
    await eventually(() => expect(connections).toBeGreaterThan(before));
    await redis.ask('REPLICAOF', 'NO', 'ONE');
    await eventually(async () => expect(await write()).toBe('OK'));
  });
});
