/** `npm stop`: ends the system of this clone, also what a killed `npm start` left behind. */
import { stopLeftOvers } from './lanyard/left-overs.ts';
import { isAlive, kill } from './lanyard/processes.ts';
import { dataFolder, run, say, sleep } from './lanyard/project.ts';
import { StateFile } from './lanyard/state.ts';

const patienceMs = 60_000;

await run(async () => {
  const file = new StateFile(dataFolder());
  const starter = file.runningStarter();
  if (starter !== undefined) {
    say(`stopping (pid ${starter})`);
    kill(starter, 'SIGTERM');
    for (const end = Date.now() + patienceMs; isAlive(starter) && Date.now() < end;) await sleep(100);
  }
  const { state } = new StateFile(dataFolder());
  const left = await stopLeftOvers(state.units);
  file.release();
  say(starter === undefined && left === 0 ? 'nothing was running' : 'stopped');
});
