/** `npm stop`: ends the system of this clone, also what a killed `npm start` left behind. */
import { dataFolder, run, say } from './lanyard/project.ts';
import { isAlive, kill, processOf, stopProcess } from './lanyard/processes.ts';
import { sleep } from './lanyard/project.ts';
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
  const left = state.units.flatMap((unit) => {
    const pid = unit.external ? undefined : processOf(unit);
    return pid === undefined ? [] : [{ ...unit, pid }];
  });
  const stop = (kind: string) =>
    Promise.all(
      left.filter((u) => u.kind === kind).map((u) => stopProcess(u.pid, { signal: u.stopSignal, waitMs: 15_000 })),
    );
  await stop('service');
  await stop('engine');
  file.release();
  say(starter === undefined && left.length === 0 ? 'nothing was running' : 'stopped');
});
