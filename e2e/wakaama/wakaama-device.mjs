/**
 * A thermometer on the Wakaama client of `node-red-contrib-lwm2m`, for tests, over UDP, or over DTLS with a key:
 * `node wakaama-device.mjs PORT NAME LOCAL_PORT [IDENTITY KEY_HEX]`. The package keeps the resources and answers its client process, which does LwM2M and CoAP. Says
 * `registered`, `written N` (bytes), `executed 5605`, `deregistered`; takes `set 21.5` and `stop`.
 */
import { EventEmitter } from 'node:events';
import { createInterface } from 'node:readline';
import lwm2m from 'node-red-contrib-lwm2m/dist/lwm2m-common.js';

/** The shortest that it takes. It updates its registration when half of it has passed. */
const lifetimeSec = 30;
const sensor = '/3303/0/5700';
const serverId = 123;

const [port, clientName, clientPort, pskIdentity, presharedKey] = process.argv.slice(2);

/** @param {string} line */
const say = (line) => process.stdout.write(`${line}\n`);
const silent = () => undefined;

const happenings = new EventEmitter();
happenings.on('object-event', ({ eventType, uri, value, remote }) => {
  if (!remote) return;
  if (eventType === 'updated') say(`written ${Buffer.byteLength(value.value)}`);
  if (eventType === 'executed') say(`executed ${uri.split('/').at(-1)}`);
});

const thermometer = {
  3303: {
    0: {
      5605: { type: 'FUNCTION', acl: 'E' },
      5700: { type: 'FLOAT', acl: 'R', value: 20 },
      5750: { type: 'STRING', acl: 'RW', value: 'hall' },
    },
  },
};
const objectStore = new lwm2m.LwM2MObjectStore(happenings);
const builder = new lwm2m.ResourceRepositoryBuilder([thermometer]);
const server = { serverId, serverHost: '127.0.0.1', serverPort: port, lifetimeSec };
objectStore.repo = await builder.build(
  presharedKey === undefined ? server : { ...server, enableDTLS: true, pskIdentity, presharedKey },
);

const client = new lwm2m.LwM2MClientProxy({
  clientName,
  clientPort,
  useIPv4: true,
  objectStore,
  log: silent,
  debug: silent,
  trace: silent,
  error: (/** @type {unknown} */ message) => process.stderr.write(`${message}\n`),
});
client.on('connected', () => say('registered'));
client.on('disconnected', () => say('deregistered'));
client.start();

for await (const line of createInterface({ input: process.stdin })) {
  const [command, value] = line.split(' ');
  if (command === 'set') await objectStore.write(sensor, { type: 'FLOAT', value: Number(value) }, false);
  if (command === 'stop') await client.shutdown();
}
// Its parent is gone: its client process must not outlive it.
client.cproc?.kill('SIGKILL');
process.exit();
