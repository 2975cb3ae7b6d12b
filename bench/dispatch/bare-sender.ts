/**
 * R3 and R4: messages made beforehand, out over as many connections.
 *
 *   node bench/dispatch/bare-sender.ts put URL CONNECTIONS BYTES       PUT with undici to URL/n
 *   node bench/dispatch/bare-sender.ts websocket - CONNECTIONS BYTES   `ws.send` to every client
 *
 * Says `ready PORT` (0 for put). Then each line on standard input is a number of messages to send on each connection.
 */
import { createInterface } from 'node:readline';
import { Pool } from 'undici';
import { WebSocketServer } from 'ws';
import type { AddressInfo } from 'node:net';

const [mode = '', url = '', connections = '1', bytes = '1'] = process.argv.slice(2);
const count = Number(connections);
const body = Buffer.alloc(Number(bytes), 0x61);

const senders: ((messages: number) => Promise<void>)[] = [];
if (mode === 'put') {
  for (let n = 0; n < count; n++) {
    const pool = new Pool(new URL(url).origin, { connections: 1, pipelining: 1 });
    const headers = { 'content-type': 'application/json' };
    senders.push(async (messages) => {
      for (let m = 0; m < messages; m++) {
        const answer = await pool.request({ method: 'PUT', path: `/${n}`, headers, body });
        await answer.body.dump();
      }
    });
  }
  process.stdout.write('ready 0\n');
} else {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1', perMessageDeflate: false });
  server.on('connection', (socket) =>
    senders.push(async (messages) => {
      for (let m = 0; m < messages; m++) await new Promise((sent) => socket.send(body, { binary: false }, sent));
    }),
  );
  server.on('listening', () => {
    const { port } = server.address() as AddressInfo;
    process.stdout.write(`ready ${port}\n`);
  });
}
createInterface({ input: process.stdin }).on('line', (line) => {
  for (const send of senders) void send(Number(line));
});
