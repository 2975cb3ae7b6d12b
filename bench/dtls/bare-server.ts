/**
 * The minimum for a handshake with a pre-shared key: a `node:dgram` socket that receives and sends datagrams of the same number and
 * size, and calls `node:crypto` as often, as the protocol requires of a server. It reads and stores nothing. Arguments and
 * answers are those of openssl-server.c.
 */
import { createCipheriv, createDecipheriv, createSecretKey, hash, randomBytes } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { createInterface } from 'node:readline';
import { bareAnswers } from './settings.ts';

/** Creating a cipher is fastest from a key object. */
const key = createSecretKey(randomBytes(16));
const [nonce, additional, finished] = [12, 13, 24].map((bytes) => randomBytes(bytes)) as [Buffer, Buffer, Buffer];
const options = { authTagLength: 8 };
const plaintextLength = finished.length;
const [inner, outer, transcript] = [Buffer.alloc(64 + 77), Buffer.alloc(64 + 32), Buffer.alloc(400)];

/** A Buffer as the result would need a new allocation, which takes longer than the hash. */
const digest = (content: Buffer, into: Buffer, at: number) =>
  into.write(hash('sha256', content, 'binary'), at, 'binary');

const hmacs = (count: number) => {
  for (let n = 0; n < count; n++) {
    digest(inner, outer, 64);
    digest(outer, inner, 64);
  }
};

let sealed = { content: finished, tag: Buffer.alloc(8) };

const seal = () => {
  const cipher = createCipheriv('aes-128-ccm', key, nonce, options).setAAD(additional, { plaintextLength });
  const content = cipher.update(finished);
  cipher.final();
  sealed = { content, tag: cipher.getAuthTag() };
};

const open = () => {
  const decipher = createDecipheriv('aes-128-ccm', key, nonce, options).setAuthTag(sealed.tag);
  decipher.setAAD(additional, { plaintextLength }).update(sealed.content);
  decipher.final();
};

/** Work for each datagram of the client, in order. */
const steps = [
  // A ClientHello, answered with a cookie.
  () => hmacs(1),
  // The ClientHello with the cookie.
  () => hmacs(1),
  // Key exchange and Finished: the master secret and the keys take four each, the two Finished two each; three hashes of the transcript.
  () => {
    hmacs(12);
    for (let n = 0; n < 3; n++) digest(transcript, inner, 64);
    open();
    seal();
  },
  // close_notify in both directions.
  () => {
    open();
    seal();
  },
];

seal();
let handshakes = 0;
const answers = bareAnswers.map((bytes) => Buffer.alloc(bytes));
const socket = createSocket({ type: 'udp4', recvBufferSize: 4 << 20, lookup: (host, _, done) => done(null, host, 4) });
socket.on('message', (datagram, { address, port }) => {
  const step = datagram[0] ?? 0;
  steps[step]?.();
  if (step === 2) handshakes++;
  socket.send(answers[step] ?? Buffer.alloc(1), port, address);
});
await new Promise<void>((bound) => socket.bind(0, '127.0.0.1', bound));
process.stdout.write(`ready ${socket.address().port}\n`);

let before = process.cpuUsage();
for await (const _ of createInterface({ input: process.stdin })) {
  const { user, system } = process.cpuUsage(before);
  process.stdout.write(`${(user + system) / 1_000} ${handshakes} 0 0 ${process.memoryUsage().rss / 1_024}\n`);
  handshakes = 0;
  before = process.cpuUsage();
}
