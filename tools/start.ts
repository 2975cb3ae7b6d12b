/** `npm start`: all steps from a fresh clone to a running, supervised system. */
import { existsSync } from 'node:fs';
import { relative } from 'node:path';

import { readCommandLine } from './lanyard/command-line.ts';
import { externalInfrastructure } from './lanyard/infrastructure.ts';
import { build } from './lanyard/install.ts';
import { interruption } from './lanyard/interrupt.ts';
import { checkInfrastructurePrerequisites } from './lanyard/prerequisites.ts';
import { dataFolder, run, say, Stop } from './lanyard/project.ts';
import { apps } from './lanyard/service-processes.ts';
import { StateFile } from './lanyard/state.ts';
import { System } from './lanyard/system.ts';
import { printStatus } from './lanyard/status-report.ts';

const usage = 'npm start [-- --replicas dispatcher=2,device-proxy=2]';
const options = { replicas: { type: 'string', default: '' } } as const;

/** How many replicas of which apps the text of `--replicas` asks for. */
const replicasIn = (text: string): Record<string, number> =>
  Object.fromEntries(
    text.split(',').flatMap((part) => {
      if (part === '') return [];
      const [app = '', n] = part.split('=');
      if (!apps.some((a) => a === app) || !/^[1-9]$/.test(n ?? ''))
        throw new Stop(`--replicas takes app=1..9, not "${part}". Apps: ${apps.join(', ')}.`);
      return [[app, Number(n)]];
    }),
  );

/** undefined if the start was interrupted, and everything that was started is stopped again. */
const startUnless = async (interrupted: AbortSignal, start: () => Promise<System>) => {
  try {
    return await start();
  } catch (error) {
    if (interrupted.aborted) return undefined;
    throw error;
  }
};

const aborted = (signal: AbortSignal) =>
  new Promise<unknown>((done) => (signal.aborted ? done(undefined) : signal.addEventListener('abort', done)));

await run(async () => {
  const replicas = replicasIn(readCommandLine(usage, options).values.replicas);
  const infrastructure = externalInfrastructure();
  if (Object.keys(infrastructure).length < 3) checkInfrastructurePrerequisites();
  const dataDir = dataFolder();
  const file = new StateFile(dataDir);
  const keyFileIsNew = !existsSync(`${dataDir}/admin.key`);
  if (!file.acquire()) {
    say(`already running (pid ${file.runningStarter()}); npm stop ends it`);
    await printStatus(file);
    return 0;
  }
  try {
    const interrupted = interruption();
    interrupted.addEventListener('abort', () => say('stopping'));
    const system = await startUnless(interrupted, async () => {
      await build();
      interrupted.throwIfAborted();
      return new System({ dataDir, replicas, infrastructure, interrupted }).start();
    });
    if (system) {
      report(system, keyFileIsNew);
      await aborted(interrupted);
      await system.stop();
    }
    say('stopped');
    return 0;
  } finally {
    file.release();
  }
});

function report(system: System, firstStart: boolean) {
  const { baseUrl, keyFile, adminKey } = system;
  const lines = [
    '',
    'Lanyard is running.',
    `  Console      ${baseUrl}/console`,
    `  Base URL     ${baseUrl}  (the API, described at ${baseUrl}/docs)`,
    ...devices(system),
    `  Key file     ${relative(process.cwd(), keyFile)}`,
    ...(firstStart ? ['  First administrator key (shown once)', `    ${adminKey}`] : []),
    '',
    'Next: open the console, and sign in with the key. In another terminal,',
    '  npm run device -- --secure',
    'is a thermometer that appears there. Callbacks to this machine are allowed.',
    '',
    'Ctrl-C or `npm stop` ends it; `npm run status` shows it.',
    '',
  ];
  process.stdout.write(`${lines.join('\n')}\n`);
}

/** Without a server certificate, devices with credentials need pre-shared keys (docs/configuration.md). */
function devices({ coapUrls, coapsTcpUrls, coapsUrls }: System) {
  const lines = [
    ...coapsUrls.map((url) => `${url}/udp  (DTLS 1.2, pre-shared keys)`),
    ...coapsTcpUrls.map((url) => `${url}  (TLS 1.2, pre-shared keys)`),
    ...coapUrls.map((url) => `${url}  (no security: development only)`),
  ];
  return lines.map((line, at) => `  ${at === 0 ? 'Devices' : '       '}      ${line}`);
}
