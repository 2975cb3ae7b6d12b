import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { dataFolder } from '../tools/lanyard/project.ts';
import { startRedisCluster } from '../tools/lanyard/redis-cluster.ts';

export type RedisCluster = Awaited<ReturnType<typeof startRedisCluster>>;

/** Three masters, and a replica of the first. `stop` removes what they stored. */
export const redisCluster = async (): Promise<RedisCluster> => {
  const folder = mkdtempSync(join(dataFolder(), 'redis-cluster-'));
  const cluster = await startRedisCluster(folder);
  const stop = async (): Promise<void> => {
    await cluster.stop();
    rmSync(folder, { recursive: true, force: true });
  };
  return { ...cluster, stop };
};
