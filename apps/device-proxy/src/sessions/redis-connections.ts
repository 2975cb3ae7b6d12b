import { type Logger, reached, type RedisClient, redisClient, redisHosts } from '@lanyard/service';
import type { DeviceProxyConfig } from '../config.js';

/** A connection in subscriber mode can do nothing else. */
export const REDIS_SUBSCRIBER = Symbol('RedisSubscriber');

/** In ms. Longer than any script takes; it ends commands on a lost connection, so that devices get their answers. */
const commandTimeout = 5_000;

const open = (url: string, logger: Logger, options: { commandTimeout?: number } = {}): RedisClient => {
  const redis = redisClient(url, {
    ...options,
    maxRetriesPerRequest: 2,
    retryStrategy: (attempt) => Math.min(attempt * 100, 1_000),
  });
  redis.on('error', (err: Error) => logger.warn({ err }, 'Redis connection'));
  return redis;
};

export const openRedis = async ({ secrets }: DeviceProxyConfig, logger: Logger): Promise<RedisClient> => {
  const redis = open(secrets.redisUrl, logger, { commandTimeout });
  await reached('Redis', redisHosts(secrets.redisUrl), redis.ping());
  return redis;
};

export const openSubscriber = ({ secrets }: DeviceProxyConfig, logger: Logger): RedisClient =>
  open(secrets.redisUrl, logger);
