/** Drives a bare endpoint with registration updates, as many as it answers. */
import { spawn } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { encodeMessage } from '@lanyard/coap';
import { root } from '../../tools/lanyard/project.mjs';
import { sleep } from './installation.mjs';

const sockets = 32;
/** Datagrams of each socket that wait for their answer. */
const outstanding = 8;

const update = encodeMessage({
  type: 'CON',
  code: 2,
  messageId: 0,
  token: Buffer.alloc(8, 7),
  options: [
    { number: 11, value: Buffer.from('rd') },
    { number: 11, value: Buffer.from('0'.repeat(32)) },
  ],
  payload: Buffer.alloc(0),
});

/** One socket that keeps so many datagrams under way; what is lost is made up for each second. @param {number} port */
const client = async (port) => {
  const socket = createSocket({ type: 'udp4', lookup: (host, _, done) => done(null, host, 4) });
  let messageId = 0;
  let answered = 0;
  const send = () => {
    const bytes = Buffer.from(update);
    bytes.writeUInt16BE((messageId = (messageId + 1) & 0xffff), 2);
    socket.send(bytes, port, '127.0.0.1');
  };
  socket.on('message', () => {
    answered++;
    send();
  });
  await new Promise((bound) => socket.bind(0, '127.0.0.1', () => bound(undefined)));
  const refill = () => {
    for (let n = 0; n < outstanding; n++) send();
  };
  refill();
  let seen = 0;
  const timer = setInterval(() => {
    if (answered === seen) refill();
    seen = answered;
  }, 1_000);
  return () => {
    clearInterval(timer);
    socket.close();
  };
};

/** @param {'echo' | 'coap'} kind @param {number} seconds */
export const measureBare = async (kind, seconds) => {
  const child = spawn(process.execPath, [join(root, 'bench/devices/bare-endpoint.mjs'), kind], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const kill = () => child.kill('SIGKILL');
  process.once('exit', kill);
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const line = async () => String((await lines.next()).value);
  const port = Number((await line()).split(' ')[1]);
  const ask = async () => {
    child.stdin.write('\n');
    const [cpuMs = 0, messages = 0] = (await line()).split(' ').map(Number);
    return { cpuUs: (cpuMs * 1_000) / messages, messages };
  };
  const clients = await Promise.all(Array.from({ length: sockets }, () => client(port)));
  // Not measured: code is compiled.
  await sleep(1_000);
  await ask();
  await sleep(seconds * 1_000);
  const { cpuUs, messages } = await ask();
  for (const stop of clients) stop();
  process.off('exit', kill);
  kill();
  return { cpuUs, perSecond: messages / seconds };
};

/** Round trips of one datagram at a time. @param {number} count */
export const echoRoundTrips = async (count) => {
  const child = spawn(process.execPath, [join(root, 'bench/devices/bare-endpoint.mjs'), 'echo'], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const [first] = await createInterface({ input: child.stdout })
    [Symbol.asyncIterator]()
    .next()
    .then(({ value }) => [value]);
  const port = Number(String(first).split(' ')[1]);
  const socket = createSocket('udp4');
  /** @type {number[]} */
  const took = [];
  for (let n = 0; n < count; n++) {
    const startedAt = performance.now();
    const answered = new Promise((done) => socket.once('message', done));
    socket.send(update, port, '127.0.0.1');
    await answered;
    took.push(performance.now() - startedAt);
    await sleep(2);
  }
  socket.close();
  child.kill('SIGKILL');
  return took;
};
