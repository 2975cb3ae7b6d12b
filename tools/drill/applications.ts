/** Two applications, each with a key of its own: one with a WebSocket, one that is called back. */
import { CallbackReceiver } from '@lanyard/testing';
import { WebSocket } from 'ws';
import { sleep } from '../lanyard/project.ts';
import { type ApiClient } from './api-client.ts';

/** The notifications that both want. */
export const sensorPath = '/3303/0/5700';

const reconnectMs = 250;

interface NotificationMessage {
  notifications?: { ep: string; path: string; payload: string }[];
  'async-responses'?: { id: string }[];
}

/** What arrived on one channel: numbers of each device in the order of their first arrival. */
export class Inbox {
  values = new Map<string, { first: number[]; seen: Set<number> }>();
  /** by async-id, how often */
  responses = new Map<string, number>();
  items = 0;
  repeated = 0;
  name: string;

  constructor(name: string) {
    this.name = name;
  }

  take(message: NotificationMessage) {
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

  note(device: string, number: number) {
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
  /** Codes that the socket was closed with since they were last taken. */
  closes: number[] = [];
  wanted = true;
  socket: WebSocket | undefined;
  api: ApiClient;

  constructor(api: ApiClient) {
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
  receiver = new CallbackReceiver();
  api: ApiClient;

  constructor(api: ApiClient) {
    this.api = api;
  }

  async start() {
    this.receiver.onCall = ({ body }) => this.inbox.take(JSON.parse(body));
    await this.receiver.start();
    await this.api.must('PUT', '/v2/notification/callback', { url: this.receiver.url });
    return this;
  }

  stop() {
    void this.receiver.stop();
  }
}
