/**
 * The sending part of the dispatcher alone: cuts batches from chunks in memory, and sends them with all its rules (address
 * guard, headers, permission to write, time limits; pings and a window). Its commands are those of bare-sender.ts.
 *
 *   node bench/dispatch/own-sender.ts put URL CONNECTIONS EVENTS BYTES
 *   node bench/dispatch/own-sender.ts websocket - CONNECTIONS EVENTS BYTES
 */
import { createServer } from 'node:http';
import { createInterface } from 'node:readline';
import { newId, systemClock } from '@lanyard/service';
import { WebSocketServer } from 'ws';
import { AddressGuard } from '../../apps/dispatcher/dist/callback-client/address-guard.js';
import { BodyBuffers } from '../../apps/dispatcher/dist/delivery/body-buffers.js';
import { CallbackSender } from '../../apps/dispatcher/dist/callback-client/callback-sender.js';
import { WebSocketSession } from '../../apps/dispatcher/dist/connections/websocket-session.js';
import { cutBatch, type Cursor } from '../../apps/dispatcher/dist/queue/event-batch.js';
import { BodyBudget } from '../../apps/dispatcher/dist/queue/body-budget.js';
import type { ChannelQueue } from '../../apps/dispatcher/dist/queue/channel-queue.js';
import { ChunkBuilder } from '../../apps/dispatcher/dist/queue/chunk.js';
import { sayPort } from '../../tools/testing/program.ts';

const [mode = '', url = '', connections = '1', eventsText = '1', bytes = '1'] = process.argv.slice(2);
const eventsMax = Number(eventsText);
const bytesMax = 4 * 1024 * 1024;
const provenMs = 1_000;

const chunksOf = () => {
  const builder = new ChunkBuilder();
  const event = Buffer.from(`{"n":"${'x'.repeat(Number(bytes) - 8)}"}`);
  for (let n = 0; n < eventsMax; n++) builder.add('notifications', event, Date.now());
  return builder.finish();
};
const chunks = chunksOf();
const batchAt = (from: number) => cutBatch(chunks, from, 0, { eventsMax, bytesMax });

const senders: ((messages: number) => Promise<void>)[] = [];
const bodies = new BodyBuffers(new BodyBudget());
const sender = new CallbackSender(new AddressGuard(['127.0.0.0/8']), systemClock);

/** One channel's callbacks: one request at a time. */
const callback = (n: number) => async (messages: number) => {
  const target = { url: `${new URL(url).origin}/${n}`, headers: {} };
  for (let m = 0; m < messages; m++) {
    const provenAtMs = performance.now();
    const permit = { holds: () => performance.now() - provenAtMs < provenMs, renew: async () => true };
    const body = bodies.bodyOf(batchAt(m * eventsMax).message);
    const sent = await sender.send(`channel ${n}`, target, { body: body.bytes, permit });
    body.done(sent.bodyLeft);
    if (!sent.ok) throw new Error(`not sent: ${sent.cause}`);
  }
};

/** A queue in memory, with the interface that a session uses. */
class Backlog {
  left = 0;
  async readBatch(_: unknown, cursor: Cursor) {
    if (this.left === 0) return { outcome: 'empty' };
    this.left--;
    return { outcome: 'ok', batch: batchAt(cursor.next), behind: [], cursor };
  }
  async confirm() {
    return true;
  }
  readPushed() {
    return undefined;
  }
}

if (mode === 'put') {
  for (let n = 0; n < Number(connections); n++) senders.push(callback(n));
  process.stdout.write('ready 0\n');
} else {
  const http = createServer();
  const server = new WebSocketServer({ server: http, perMessageDeflate: false });
  server.on('connection', (socket, { socket: connection }) => {
    const backlog = new Backlog();
    const nothing = () => undefined;
    const listener = {
      sent: nothing,
      delivered: nothing,
      attachedAgain: nothing,
      left: nothing,
      ended: nothing,
      failed: console.error,
    };
    const session = new WebSocketSession(
      { socket, connection },
      { channelId: newId(), accountId: newId(), conn: newId(), address: '127.0.0.1' },
      {
        queue: backlog as unknown as ChannelQueue,
        bodies,
        clock: systemClock,
        holders: { areSuspended: false },
      },
      listener,
    );
    session.start({ channelId: newId(), token: 'own', era: 0 }, { next: 0, head: 0, index: 0, skip: 0 });
    senders.push(async (messages) => {
      backlog.left += messages;
      session.wake();
    });
  });
  http.listen(0, '127.0.0.1', () => sayPort(http));
}
createInterface({ input: process.stdin }).on('line', (line) => {
  for (const send of senders) void send(Number(line));
});
