/** Two applications, each with a key of its own: one with a WebSocket, one that is called back. */
import { createServer } from 'node:http';
import { WebSocket } from 'ws';
import { sleep } from '../lanyard/project.mjs';
import { ApiClient } from './api-client.mjs';

/** What both want to hear of. */
export const sensorPath = '/3303/0/5700';

const reconnectMs = 250;

/** What arrived on one channel: numbers of each device in the order of their first arrival. */
export class Inbox {
  /** @type {Map<string, { first: number[], seen: Set<number> }>} */
  values = new Map();
  /** @type {Map<string, number>} by async-id, how often */
  responses = new Map();
  items = 0;
  repeated = 0;

  /** @param {string} name */
  constructor(name) {
    this.name = name;
  }

  /** @param {any} message a NotificationMessage */
  take(message) {
    for (const { ep, path, payload } of message.notifications ?? []) {
      const number = Number(Buffer.from(payload, 'base64').toString());
      this.items++;
      if (path === sensorPath && Number.isInteger(number)) this.note(ep, number);
    }
    for (const { id } of message['async-responses'] ?? []) {
      this.items++;
      this.responses.set(id, (this.responses.get(id) ?? 0) + 1);
    }
  }

  /** @param {string} device @param {number} number */
  note(device, number) {
    const known = this.values.get(device) ?? { first: [], seen: new Set() };
    this.values.set(device, known);
    if (known.seen.has(number)) this.repeated++;
    else known.first.push(number);
    known.seen.add(number);
  }
}

export class SocketApplication {
  inbox = new Inbox('WebSocket');
  reconnects = -1;
  /** Codes that the socket was closed with since they were last taken. @type {number[]} */
  closes = [];
  wanted = true;
  /** @type {WebSocket | undefined} */
  socket;

  /** @param {ApiClient} api */
  constructor(api) {
    this.api = api;
  }

  async start() {
    await this.api.must('PUT', '/v2/notification/websocket', {});
    void this.keepOpen();
    return this;
  }

  async keepOpen() {
    while (this.wanted) {
      await this.open();
      await sleep(reconnectMs);
    }
  }

  /** Resolves when the socket has closed. */
  open() {
    const url = `${this.api.nextGateway().replace('http', 'ws')}/v2/notification/websocket-connect`;
    const socket = new WebSocket(url, ['wss', `service_${this.api.key}`], { handshakeTimeout: 5_000 });
    this.socket = socket;
    let wasOpen = false;
    socket.on('open', () => {
      wasOpen = true;
      this.reconnects++;
    });
    socket.on('message', (data) => this.inbox.take(JSON.parse(String(data))));
    socket.on('error', () => undefined);
    return new Promise((done) =>
      socket.once('close', (code) => {
        // One that could not be opened says 1006 too.
        if (wasOpen) this.closes.push(code);
        done(code);
      }),
    );
  }

  stop() {
    this.wanted = false;
    this.socket?.terminate();
  }
}

export class CallbackApplication {
  inbox = new Inbox('callback');

  /** @param {ApiClient} api */
  constructor(api) {
    this.api = api;
    this.server = createServer((request, response) => {
      /** @type {Buffer[]} */
      const chunks = [];
      request.on('data', (chunk) => chunks.push(chunk));
      request.on('error', () => undefined);
      request.on('end', () => {
        this.inbox.take(JSON.parse(Buffer.concat(chunks).toString() || '{}'));
        response.writeHead(204).end();
      });
    });
  }

  async start() {
    await new Promise((done) => this.server.listen(0, '127.0.0.1', () => done(undefined)));
    const { port } = /** @type {import('node:net').AddressInfo} */ (this.server.address());
    await this.api.must('PUT', '/v2/notification/callback', { url: `http://127.0.0.1:${port}/` });
    return this;
  }

  stop() {
    this.server.closeAllConnections();
    this.server.close();
  }
}
