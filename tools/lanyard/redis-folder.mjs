/** Redis does not lock its folder: two that append to the same log destroy it. Kafka and PostgreSQL lock theirs. */
import { commandLine, isAlive, processesIn } from './processes.mjs';
import { Stop } from './project.mjs';

/** Before each start of a Redis, which works in its data folder. Its forks only read, and have other titles. @param {string} folder */
export const refuseSecondRedis = (folder) => {
  const pid = processesIn(folder).find((pid) => isAlive(pid) && commandLine(pid).includes('redis-server'));
  if (pid !== undefined) throw new Stop(`A Redis (pid ${pid}) already runs on ${folder}: npm stop ends it.`);
};
