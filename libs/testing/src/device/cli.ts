import { parseArgs } from 'node:util';
import type { ReceivedRequest } from './answering-device.js';
import { RequestRefused } from './device-client.js';
import { NotObserved } from './device-observers.js';
import { thermometer } from './thermometer.js';

const usage = `usage: npm run device -- --name <endpoint name> [--url coap://127.0.0.1:5683] [--lifetime 60]
       [--period-seconds 5] [--queue-mode]

A demonstration thermometer: /3303/0/5700 changes, /3341/0/5527 can be written, /3/0/4 executed. Ctrl-C deregisters.`;

const options = parseArgs({
  options: {
    name: { type: 'string' },
    url: { type: 'string', default: 'coap://127.0.0.1:5683' },
    lifetime: { type: 'string', default: '60' },
    'period-seconds': { type: 'string', default: '5' },
    'queue-mode': { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
}).values;

const say = (text: string): void => {
  process.stdout.write(`${new Date().toISOString().slice(11, 19)} ${text}\n`);
};

const describe = ({ method, path, query, payload, observe }: ReceivedRequest): string => {
  const what = observe === 0 ? 'observe' : observe === 1 ? 'cancel' : method;
  return `<- ${what} ${path}${query.length > 0 ? `?${query.join('&')}` : ''}${payload ? ` "${payload}"` : ''}`;
};

const run = async (name: string): Promise<void> => {
  const lifetimeSeconds = Number(options.lifetime);
  const demo = thermometer({
    name,
    server: options.url,
    lifetimeSeconds,
    queueMode: options['queue-mode'],
    ackTimeoutMs: 2_000,
  });
  const { device } = demo;
  device.beforeAnswer = (request) => say(describe(request));
  const register = async (): Promise<void> => say(`registered as ${await device.register()}`);
  await register();

  const updates = setInterval(
    () => {
      device.update().catch(() => register().catch((error: unknown) => say(`not registered: ${String(error)}`)));
    },
    (lifetimeSeconds * 1000) / 2,
  );
  const reports = setInterval(
    () => {
      demo.celsius = Math.round((demo.celsius + Math.random() - 0.5) * 10) / 10;
      if (!device.isObserved('/3303/0/5700')) return;
      device.report('/3303/0/5700', demo.celsius).then(
        () => say(`-> /3303/0/5700 ${demo.celsius}`),
        (error: unknown) => {
          if (!(error instanceof NotObserved)) throw error;
          say('/3303/0/5700 is not observed any more');
        },
      );
    },
    Number(options['period-seconds']) * 1000,
  );

  process.once('SIGINT', () => {
    clearInterval(updates);
    clearInterval(reports);
    device
      .deregister()
      .then(
        () => say('deregistered'),
        (error: unknown) => say(String(error)),
      )
      .finally(() => void device.close());
  });
};

if (options.help || !options.name) {
  process.stdout.write(`${usage}\n`);
  process.exitCode = options.help ? 0 : 1;
} else {
  await run(options.name).catch((error: unknown) => {
    if (error instanceof RequestRefused) say(`${options.url} refused: ${error.message} (4.03: suspended or unknown)`);
    else say(`cannot reach ${options.url}: ${error instanceof Error ? error.message : String(error)}`);
    process.exit(1);
  });
}
