/** `npm start`: everything from a fresh clone to a running, supervised system. */
import { existsSync } from 'node:fs';
import { startConstellation } from './lanyard/constellation.mjs';
import { enginesElsewhere } from './lanyard/engines.mjs';
import { build, prepare } from './lanyard/install.mjs';
import { checkEnginePrerequisites } from './lanyard/prerequisites.mjs';
import { dataFolder, run, say, Stop } from './lanyard/project.mjs';
import { apps } from './lanyard/service-processes.mjs';
import { StateFile } from './lanyard/state.mjs';
import { printStatus } from './lanyard/status-report.mjs';

/** `--replicas dispatcher=2,device-proxy=2` @returns {Record<string, number>} */
const replicasWanted = () => {
  const at = process.argv.indexOf('--replicas');
  const text = at < 0 ? '' : (process.argv[at + 1] ?? '');
  return Object.fromEntries(
    text.split(',').flatMap((part) => {
      if (part === '') return [];
      const [app = '', n] = part.split('=');
      if (!apps.some((a) => a === app) || !/^[1-9]$/.test(n ?? ''))
        throw new Stop(`--replicas takes app=1..9, not "${part}". Apps: ${apps.join(', ')}.`);
      return [[app, Number(n)]];
    }),
  );
};

const stopSignal = () =>
  new Promise((done) => {
    for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])) process.once(signal, done);
  });

await run(async () => {
  const replicas = replicasWanted();
  const engines = enginesElsewhere();
  if (Object.keys(engines).length < 3) checkEnginePrerequisites();
  await prepare();
  const dataDir = dataFolder();
  const file = new StateFile(dataDir);
  const keyFileIsNew = !existsSync(`${dataDir}/admin.key`);
  if (!file.acquire()) {
    say(`already running (pid ${file.runningStarter()}); npm stop ends it`);
    await printStatus(file);
    return 0;
  }
  try {
    const stopped = stopSignal();
    await build();
    const system = await startConstellation({ dataDir, replicas, engines });
    report(system, keyFileIsNew);
    await stopped;
    say('stopping');
    await system.stop();
    say('stopped');
    return 0;
  } finally {
    file.release();
  }
});

/** @param {import('./lanyard/constellation.mjs').Constellation} system @param {boolean} firstStart */
function report(system, firstStart) {
  const lines = [
    '',
    'Lanyard is running.',
    `  Base URL     ${system.baseUrl}`,
    `  API pages    ${system.baseUrl}/docs`,
    ...system.coapUrls.map((url) => `  Devices      ${url}  (no security: development only)`),
    `  Key file     ${system.keyFile}`,
    ...(firstStart ? [`  First administrator key (shown once)`, `    ${system.adminKey()}`] : []),
    '  Callbacks to this machine (loopback) are allowed on this one-machine set-up.',
    '',
    'Ctrl-C or `npm stop` ends it; `npm run status` shows it.',
    '',
  ];
  process.stdout.write(`${lines.join('\n')}\n`);
}
