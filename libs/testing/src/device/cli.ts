import { lookup } from 'node:dns/promises';
import { parseArgs } from 'node:util';
import { Demonstration } from './demonstration.js';
import { AccountFailed, DeviceAccount } from './device-account.js';
import { RequestRefused } from './device-client.js';
import { withAddress } from './local-host.js';

const usage = `usage: npm run device -- --secure [--name thermo-1] [--url coaps://127.0.0.1:5684] [--lifetime 60]
       [--period-seconds 5] [--queue-mode] [--api http://127.0.0.1:8080] [--key-file .lanyard/admin.key]
       npm run device -- [--url coap://127.0.0.1:5683] …

A demonstration thermometer: /3303/0/5700 changes, /3341/0/5527 can be written, /3/0/4 executed. Observers of these
resources, their instances or their objects are notified of changes. With --secure it connects over DTLS: it creates its
device and a pre-shared key with the administrator key, and deletes the pre-shared key at the end. Ctrl-C deregisters; a
second one ends at once.`;

/** Ends the process because of an option that is unknown or has a wrong value. */
const refuse = (problem: string): never => {
  process.stderr.write(`${problem}\n${usage}\n`);
  process.exit(1);
};

const readOptions = () => {
  try {
    return parseArgs({
      options: {
        secure: { type: 'boolean', default: false },
        name: { type: 'string', default: 'thermo-1' },
        url: { type: 'string' },
        lifetime: { type: 'string', default: '60' },
        'period-seconds': { type: 'string', default: '5' },
        'queue-mode': { type: 'boolean', default: false },
        api: { type: 'string', default: 'http://127.0.0.1:8080' },
        'key-file': { type: 'string', default: '.lanyard/admin.key' },
        help: { type: 'boolean', default: false },
      },
    }).values;
  } catch (error) {
    return refuse(error instanceof Error ? error.message : String(error));
  }
};

const options = readOptions();
const { name, api, secure, 'key-file': keyFile } = options;
const url = options.url ?? (secure ? 'coaps://127.0.0.1:5684' : 'coap://127.0.0.1:5683');

/** Well below 24.8 days (2^31 - 1 ms): Node repeats an interval with a longer delay each millisecond. */
const secondsMax = 7 * 24 * 3_600;

const seconds = (option: 'lifetime' | 'period-seconds', kind: 'number' | 'whole number', least: number): number => {
  const text = options[option];
  const value = Number(text);
  const isInRange = value >= least && value <= secondsMax;
  if (isInRange && (kind === 'number' || Number.isInteger(value))) return value;
  return refuse(`--${option} takes a ${kind} from ${least} to ${secondsMax}, not "${text}"`);
};

const refuseWrongUrls = (): void => {
  const scheme = secure ? 'coaps://' : 'coap://';
  if (!url.startsWith(scheme) || !URL.canParse(url.replace(scheme, 'http://')))
    refuse(`--url takes ${secure ? 'coaps://host:port' : 'coap://host:port, or with --secure coaps://'}, not "${url}"`);
  if (!/^https?:\/\//.test(api) || !URL.canParse(api)) refuse(`--api takes http://host:port, not "${api}"`);
};

const say = (text: string): void => {
  process.stdout.write(`${new Date().toISOString().slice(11, 19)} ${text}\n`);
};

/** The URL with the IP address of its host, because the sockets of devices do not resolve names. */
const resolved = async (serverUrl: string): Promise<string> => {
  const { hostname } = new URL(serverUrl.replace(/^coaps?:/, 'http:'));
  if (hostname.startsWith('[')) return serverUrl;
  // `localhost` may have an IPv6 address, too: `npm start` listens at the IPv4 one.
  return withAddress(serverUrl, (await lookup(hostname, { order: 'ipv4first' })).address);
};

const secured = async () => {
  const account = await DeviceAccount.open(name, { api, keyFile });
  const security = await account.newKey();
  say(`device ${account.deviceId} has a new pre-shared key`);
  return { account, security };
};

const run = async (): Promise<void> => {
  const lifetimeSeconds = seconds('lifetime', 'whole number', 1);
  const periodSeconds = seconds('period-seconds', 'number', 0.1);
  refuseWrongUrls();
  const { account, security } = secure ? await secured() : {};
  const device = new Demonstration({
    name,
    server: await resolved(url),
    ...(security && { security }),
    lifetimeSeconds,
    periodSeconds,
    queueMode: options['queue-mode'],
    api,
    keyFile,
    say,
  });
  let isStopping = false;
  const stop = (): void => {
    if (isStopping) process.exit(1);
    isStopping = true;
    void device
      .stop()
      .then(() => account?.close())
      .catch((error: unknown) => say(String(error)));
  };
  process.on('SIGINT', stop).on('SIGTERM', stop);
  await device.start().catch(async (error: unknown) => {
    await account?.close().catch(() => undefined);
    throw error;
  });
};

const explain = (error: unknown): string => {
  if (error instanceof RequestRefused) return `${url} refused: ${error.message} (4.03: suspended or unknown)`;
  if (error instanceof AccountFailed) return error.message;
  return `cannot reach ${url}: ${error instanceof Error ? error.message : String(error)}`;
};

// The reader of the output may be gone; the device deregisters all the same.
process.stdout.on('error', () => undefined);

if (options.help) process.stdout.write(`${usage}\n`);
else
  await run().catch((error: unknown) => {
    say(explain(error));
    process.exit(1);
  });
