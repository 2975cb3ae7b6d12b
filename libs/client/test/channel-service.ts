import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type WebSocket, WebSocketServer } from 'ws';

/** In the service, four times as many messages may be under way as are sent before the next ping: 64 and 16. */
const pingsUnderWay = 4;

const tickMs = 10;

/** What is beyond this between two ticks does not count: the process stood still, and the client is a part of it. */
const tickMaxMs = 100;

interface Ping {
  /** By the time that `serve` counts. */
  leftAtMs?: number;
  /** How many messages were sent before it. */
  to: number;
}

/**
 * The service's side of one channel: messages are sent again over the next connection until the pong to a ping behind
 * them has come, and a connection whose pong is late is closed with 1001.
 */
export class ChannelService {
  /** Of each registration of the channel. */
  registrationStatus = 201;
  registrations = 0;
  readonly connections: WebSocket[] = [];
  /** Codes with which connections ended. */
  readonly closeCodes: number[] = [];
  /** How many messages have arrived, as far as this side knows. */
  confirmed = 0;
  private readonly messages: string[] = [];
  readonly server: Server;
  readonly sockets: WebSocketServer;
  private send = (): void => undefined;

  constructor(
    private readonly pongMaxMs = 10_000,
    private readonly messagesPerPing = 2,
  ) {
    this.server = createServer((_, response) => {
      this.registrations++;
      response.writeHead(this.registrationStatus, { 'content-type': 'application/json' }).end('{}');
    });
    this.sockets = new WebSocketServer({ server: this.server, handleProtocols: () => 'wss' });
    this.sockets.on('connection', (socket) => this.serve(socket));
  }

  /** Its address. */
  async start(): Promise<string> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  stop(): void {
    for (const socket of this.sockets.clients) socket.terminate();
    this.server.closeAllConnections();
    this.server.close();
  }

  /** Messages with so many events each, whose payloads are 0, 1, 2 … and have an item of `bytes` beside them. */
  queue(messages: number, eventsEach: number, bytes = 0): void {
    for (let i = 0; i < messages; i++) {
      const from = this.messages.length * eventsEach;
      const notifications = Array.from({ length: eventsEach }, (_, j) => ({
        ep: 'd',
        path: '/1/2/3',
        ct: 'text/plain',
        payload: Buffer.from(String(from + j)).toString('base64'),
        uid: 'u'.repeat(bytes),
      }));
      this.messages.push(JSON.stringify({ notifications }));
    }
    this.send();
  }

  private serve(socket: WebSocket): void {
    let sent = this.confirmed;
    let pinged = sent;
    const pings: Ping[] = [];
    let [passedMs, tickedAtMs] = [0, performance.now()];
    const ping = (): void => {
      const made: Ping = { to: (pinged = sent) };
      pings.push(made);
      socket.ping(Buffer.from(String(made.to)), false, () => (made.leftAtMs = passedMs));
    };
    this.send = (): void => {
      while (
        socket.readyState === socket.OPEN &&
        sent < this.messages.length &&
        sent - this.confirmed < pingsUnderWay * this.messagesPerPing
      ) {
        socket.send(this.messages[sent++] as string);
        if (pings.length === 0 || sent - pinged >= this.messagesPerPing) ping();
      }
    };
    socket.on('pong', (data) => {
      this.confirmed = Number(String(data));
      while (pings[0] && pings[0].to <= this.confirmed) pings.shift();
      if (sent > pinged && pings.length === 0) ping();
      this.send();
    });
    const ticking = setInterval(() => {
      const nowMs = performance.now();
      passedMs += Math.min(nowMs - tickedAtMs, tickMaxMs);
      tickedAtMs = nowMs;
      const leftAtMs = pings[0]?.leftAtMs;
      if (leftAtMs === undefined || passedMs - leftAtMs < this.pongMaxMs) return;
      socket.close(1001);
      setTimeout(() => socket.terminate(), this.pongMaxMs / 2);
      pings.length = 0;
    }, tickMs);
    socket.on('close', (code) => {
      clearInterval(ticking);
      this.closeCodes.push(code);
    });
    this.connections.push(socket);
    this.send();
  }
}
