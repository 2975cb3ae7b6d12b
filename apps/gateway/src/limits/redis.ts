import { type Logger, type RedisClient, redisClient } from '@lanyard/service';
import type { GatewayConfig } from '../config.js';

/** Used only to count requests: no request waits long for it, and the gateway starts without it. */
export const openRedis = ({ secrets }: GatewayConfig, logger: Logger): RedisClient => {
  const redis = redisClient(secrets.redisUrl, {
    enableOfflineQueue: false,
    enableAutoPipelining: true,
    maxRetriesPerRequest: 0,
    commandTimeout: 250,
    connectTimeout: 2_000,
    retryStrategy: (attempt) => Math.min(attempt * 100, 2_000),
  });
  let quiet = false;
  redis.on('error', (err: unknown) => {
    if (!quiet) logger.warn({ err }, 'Redis is down: each replica counts requests alone');
    quiet = true;
  });
  redis.on('ready', () => (quiet = false));
  return redis;
};
