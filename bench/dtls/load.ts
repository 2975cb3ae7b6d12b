/**
 * Clients of a DTLS server, each with a socket, in a separate process.
 *
 *   node bench/dtls/load.ts MODE FOLDER PORT SOCKETS handshakes|messages|hold|bare SECONDS
 *
 * Says `ready 0`, and at the end `DONE FAILED`. `handshakes`: each client connects and closes, again and again; `messages`:
 * each connects once and has one message of 64 bytes in flight; `hold`: each connects once, and all stay connected until the
 * process is killed; `bare`: sends datagrams like those of a handshake to bare-server.ts.
 */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { DtlsClient, TickingTimers, systemDtlsClock } from '@lanyard/dtls';
import { severalAtOnce } from '../../tools/testing/several-at-once.ts';
import { bareRequests, identity, type Mode, pskHex, readOwn, signedByAuthority, suiteOf } from './settings.ts';

const [mode, folder, port, sockets, task, seconds] = process.argv.slice(2) as [
  Mode,
  string,
  string,
  string,
  string,
  string,
];
const atOnce = 64;
const text = Buffer.alloc(64, 7);
const timers = new TickingTimers(systemDtlsClock);
const key = Buffer.from(pskHex, 'hex');
const credentials =
  mode === 'psk'
    ? { psk: { identity, key } }
    : { certificate: readOwn(folder, 'client'), authenticate: signedByAuthority(folder) };
const until = performance.now() + Number(seconds) * 1_000;
let done = 0;
let failed = 0;

/** Opens a socket; returns a function that creates a client on it, which replaces the previous client. */
const open = async () => {
  const socket = createSocket({ type: 'udp4', lookup: (host, _, found) => found(null, host, 4) });
  await new Promise<void>((bound) => socket.bind(0, '127.0.0.1', bound));
  let client: DtlsClient | undefined;
  socket.on('message', (datagram) => client?.receive(datagram));
  return (onMessage: () => void) => {
    client = new DtlsClient({
      ...credentials,
      suites: [suiteOf[mode]],
      timers,
      send: (datagram) => socket.send(datagram, Number(port), '127.0.0.1'),
      onMessage,
    });
    return client;
  };
};

const connects = async (client: DtlsClient) => {
  try {
    await client.connect();
    done++;
  } catch {
    failed++;
  }
};

const repeatHandshakes = async () => {
  const newClient = await open();
  while (performance.now() < until) {
    const client = newClient(() => undefined);
    await connects(client);
    client.close();
  }
};

const repeatDatagrams = async () => {
  const socket = createSocket({ type: 'udp4', lookup: (host, _, found) => found(null, host, 4) });
  const datagrams = bareRequests.map((bytes, step) => Buffer.alloc(bytes, step));
  while (performance.now() < until) {
    for (const datagram of datagrams) {
      const answer = once(socket, 'message');
      socket.send(datagram, Number(port), '127.0.0.1');
      await answer;
    }
    done++;
  }
};

const exchangeMessages = async () => {
  const newClient = await open();
  let answered = () => {};
  const client = newClient(() => answered());
  await client.connect();
  while (performance.now() < until) {
    const answer = new Promise<boolean>((resolve) => {
      answered = () => resolve(true);
      setTimeout(() => resolve(false), 2_000).unref();
    });
    client.send(text);
    if (await answer) done++;
    else failed++;
  }
};

const connectAll = () =>
  severalAtOnce(atOnce, Array.from({ length: Number(sockets) }), async () => connects((await open())(() => undefined)));

process.stdout.write('ready 0\n');
const run = { handshakes: repeatHandshakes, bare: repeatDatagrams }[task] ?? exchangeMessages;
if (task === 'hold') await connectAll();
else await Promise.all(Array.from({ length: Number(sockets) }, run));
process.stdout.write(`${done} ${failed}\n`);
if (task !== 'hold') process.exit();
