import { parseArgs } from 'node:util';
import { Demonstration } from './demonstration.js';
import { RequestRefused } from './device-client.js';

const usage = `usage: npm run device -- --name <endpoint name> [--url coap://127.0.0.1:5683] [--lifetime 60]
       [--period-seconds 5] [--queue-mode] [--api http://127.0.0.1:8080] [--key-file .lanyard/admin.key]

A demonstration thermometer: /3303/0/5700 changes, /3341/0/5527 can be written, /3/0/4 executed. Who observes one of
them, its instance or its object is notified of changes. Ctrl-C deregisters.`;

const options = parseArgs({
  options: {
    name: { type: 'string' },
    url: { type: 'string', default: 'coap://127.0.0.1:5683' },
    lifetime: { type: 'string', default: '60' },
    'period-seconds': { type: 'string', default: '5' },
    'queue-mode': { type: 'boolean', default: false },
    api: { type: 'string', default: 'http://127.0.0.1:8080' },
    'key-file': { type: 'string', default: '.lanyard/admin.key' },
    help: { type: 'boolean', default: false },
  },
}).values;

const say = (text: string): void => {
  process.stdout.write(`${new Date().toISOString().slice(11, 19)} ${text}\n`);
};

const run = async (name: string): Promise<void> => {
  const device = new Demonstration({
    name,
    server: options.url,
    lifetimeSeconds: Number(options.lifetime),
    periodSeconds: Number(options['period-seconds']),
    queueMode: options['queue-mode'],
    api: options.api,
    keyFile: options['key-file'],
    say,
  });
  await device.start();
  process.once('SIGINT', () => void device.stop());
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
