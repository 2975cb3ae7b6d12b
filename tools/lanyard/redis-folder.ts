/** Redis does not lock its folder: two servers that append to the same log destroy it. Kafka and PostgreSQL lock theirs. */
import { commandLine, isAlive, processesIn } from './processes.ts';
import { Stop } from './project.ts';

/**
 * Called before each start of a Redis. Throws Stop if another one runs, which is found by its working directory: that
 * is its data folder. Forks of a Redis have the same directory, but only read, and have other titles.
 */
export const refuseSecondRedis = (folder: string) => {
  const pid = processesIn(folder).find((pid) => isAlive(pid) && commandLine(pid).includes('redis-server'));
  if (pid !== undefined) throw new Stop(`A Redis (pid ${pid}) already runs on ${folder}: npm stop ends it.`);
};
