/**
 * `npm stop [-- --services]`: ends the system of this clone, including what a killed `npm start` left behind. With `--services`,
 * Kafka, PostgreSQL and Redis continue to run, for `npm run restore`; the next `npm start` adopts them.
 */
import { readCommandLine } from './lanyard/command-line.ts';
import { stopLeftOvers } from './lanyard/left-overs.ts';
import { isAlive, kill } from './lanyard/processes.ts';
import { dataFolder, run, say, sleep } from './lanyard/project.ts';
import { StateFile } from './lanyard/state.ts';

const usage = 'npm stop [-- --services]';
const options = { services: { type: 'boolean', default: false } } as const;

/** Longer than a starter takes to stop everything. After this time, what is left is stopped here. */
const starterEndsWithinMs = 60_000;

await run(async () => {
  const { services: isServicesOnly } = readCommandLine(usage, options).values;
  const file = new StateFile(dataFolder());
  const starter = file.runningStarter();
  if (starter !== undefined) {
    say(`stopping (pid ${starter})`);
    // SIGKILL, because a starter that is asked to stop would stop Kafka, PostgreSQL and Redis too.
    kill(starter, isServicesOnly ? 'SIGKILL' : 'SIGTERM');
    for (const end = Date.now() + starterEndsWithinMs; isAlive(starter) && Date.now() < end;) await sleep(100);
    // One that does not end must not keep the next one from starting.
    if (isAlive(starter)) file.release(starter);
  }
  const current = new StateFile(dataFolder());
  const next = current.runningStarter();
  if (next !== undefined) {
    say(`stopped; npm start runs again (pid ${next})`);
    return;
  }
  const left = await stopLeftOvers(current.state.units, isServicesOnly ? ['service'] : undefined);
  say(starter === undefined && left === 0 ? 'nothing was running' : 'stopped');
});
