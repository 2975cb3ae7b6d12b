/**
 * `libs/dtls` behind one socket, without anything else, in a separate process; arguments and answers are those of
 * openssl-server.c, and the answers end with the KiB of heap and buffers after garbage collection.
 *
 *   node bench/dtls/own-server.ts psk|ecdhe FOLDER
 */
import { createSocket } from 'node:dgram';
import { createInterface } from 'node:readline';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { DtlsServer } from '@lanyard/dtls';
import { type Mode, pskHex, readOwn, signedByAuthority, suiteOf } from './settings.ts';

const [mode = 'psk', folder = ''] = process.argv.slice(2) as [Mode, string];
setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

let handshakes = 0;
let messages = 0;
const key = Buffer.from(pskHex, 'hex');
const socket = createSocket({ type: 'udp4', recvBufferSize: 4 << 20, lookup: (host, _, done) => done(null, host, 4) });
const server = new DtlsServer({
  // All clients have one address.
  limits: { handshakesPerSourceMax: 1e9, handshakesPerSourcePerSecond: 1e9 },
  suites: [suiteOf[mode]],
  ...(mode === 'psk'
    ? { keyOf: () => key }
    : { certificate: readOwn(folder, 'server'), authenticate: signedByAuthority(folder) }),
  send: (datagram, { address, port }) => socket.send(datagram, port, address),
  onConnected: () => handshakes++,
  onMessage: (connection, plaintext) => {
    messages++;
    connection.send(plaintext);
  },
});
socket.on('message', (datagram, from) => server.receive(datagram, from));
await new Promise<void>((bound) => socket.bind(0, '127.0.0.1', bound));
process.stdout.write(`ready ${socket.address().port}\n`);

let before = process.cpuUsage();
for await (const _ of createInterface({ input: process.stdin })) {
  const { user, system } = process.cpuUsage(before);
  collect();
  const { rss, heapUsed, external } = process.memoryUsage();
  const { connections } = server.gauges();
  const used = (heapUsed + external) / 1_024;
  process.stdout.write(`${(user + system) / 1_000} ${handshakes} ${messages} ${connections} ${rss / 1_024} ${used}\n`);
  handshakes = messages = 0;
  before = process.cpuUsage();
}
