/** `npm run status`, `npm run --silent status -- --json`: exit code 0 when everything is ready. */
import { readCommandLine } from './lanyard/command-line.ts';
import { dataFolder, run } from './lanyard/project.ts';
import { StateFile } from './lanyard/state.ts';
import { printStatus, statusOf } from './lanyard/status-report.ts';

const usage = 'npm run status [-- --json]';
const options = { json: { type: 'boolean', default: false } } as const;

await run(async () => {
  const { json: printsJson } = readCommandLine(usage, options).values;
  const file = new StateFile(dataFolder());
  const status = await statusOf(file);
  if (printsJson) process.stdout.write(`${JSON.stringify(status, null, 2)}\n`);
  else await printStatus(file);
  const { running, infrastructure, services } = status;
  // Until `npm start` launches the services, there may be no process at all that is not ready.
  return running && services.length > 0 && [...infrastructure, ...services].every((u) => u.ready) ? 0 : 1;
});
