/** Redis does not lock its folder: two servers that append to the same log destroy it. Kafka and PostgreSQL lock theirs. */
import { commandLine, isAlive, processesIn } from './processes.ts';
import { Stop } from './project.ts';

/** Called before each start of a Redis, which works in its data folder. Forks of a Redis only read, and have other titles. */
export const refuseSecondRedis = (folder: string) => {
  const pid = processesIn(folder).find((pid) => isAlive(pid) && commandLine(pid).includes('redis-server'));
  if (pid !== undefined) throw new Stop(`A Redis (pid ${pid}) already runs on ${folder}: npm stop ends it.`);
};
