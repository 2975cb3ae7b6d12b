/**
 * A separate process that answers datagrams with as little work as possible.
 *
 *   node bench/devices/bare-endpoint.ts echo    node:dgram: every datagram is sent back unchanged
 *   node bench/devices/bare-endpoint.ts coap    libs/coap: every request is answered with 2.04
 *
 * Says `ready PORT`. Each line on standard input is answered with `CPU_MS MESSAGES` since the line before.
 */
import { createSocket } from 'node:dgram';
import { createInterface } from 'node:readline';
import { Code, CoapUdpEndpoint } from '@lanyard/coap';

let messages = 0;

const echo = async () => {
  // Looks up no names, as the CoAP endpoint does, because all addresses are literal.
  const socket = createSocket({ type: 'udp4', lookup: (host, _, done) => done(null, host, 4) });
  socket.on('message', (bytes, { address, port }) => {
    messages++;
    socket.send(bytes, port, address);
  });
  await new Promise((bound) => socket.bind(0, '127.0.0.1', () => bound(undefined)));
  return socket.address().port;
};

const coap = async () => {
  const known = new Set();
  const endpoint = new CoapUdpEndpoint({
    host: '127.0.0.1',
    onRequest: async ({ peer }) => {
      messages++;
      if (!known.has(peer.key)) {
        known.add(peer.key);
        endpoint.keepPeer(peer);
      }
      return { code: Code.Changed };
    },
  });
  return (await endpoint.listen()).port;
};

process.stdout.write(`ready ${await (process.argv[2] === 'coap' ? coap() : echo())}\n`);
let before = process.cpuUsage();
let counted = 0;
for await (const _ of createInterface({ input: process.stdin })) {
  const { user, system } = process.cpuUsage(before);
  process.stdout.write(`${(user + system) / 1_000} ${messages - counted}\n`);
  before = process.cpuUsage();
  counted = messages;
}
