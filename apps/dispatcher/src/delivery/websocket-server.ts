import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { type Clock, keyTextOfSocket, type Logger, newId, normaliseUrl, type Timer } from '@lanyard/service';
import { type WebSocket, WebSocketServer as WsServer } from 'ws';
import type { KeyDirectory, KnownKey } from '../keys/key-directory.js';
import { handshakeMaxMs, socketPayloadBytesMax } from '../limits.js';
import type { NotificationMessage } from '../messages/notification-message.js';
import type { ChannelQueue, Hold } from '../queue/channel-queue.js';
import type { BodyBuffers } from './body-buffers.js';
import type { Bus } from '../replicas/bus.js';
import { type CloseCause, closeCodes } from '../replicas/close-codes.js';
import type { Holders } from '../replicas/holders.js';
import { selectedProtocol } from './subprotocol.js';
import type { Telemetry } from './telemetry.js';
import { WebSocketSession } from './websocket-session.js';

export const connectPath = '/v2/notification/websocket-connect';

const tickMs = 1_000;

/** Ticks further apart than this mean that the process was stopped or starved. */
const standstillMs = 3 * tickMs;

/** How long a stop waits for the clients' goodbyes. */
const goodbyesMs = 1_000;

const refuse = (socket: Duplex, status: string, headers = ''): void => {
  socket.end(`HTTP/1.1 ${status}\r\n${headers}connection: close\r\ncontent-length: 0\r\n\r\n`);
};

/** Accepts sockets on the service's HTTP port, checks their key, and gives each its channel. */
export class WebSocketServer {
  private readonly ws = new WsServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    maxPayload: socketPayloadBytesMax,
    handleProtocols: (offered) => selectedProtocol(offered),
  });
  private readonly open = new Set<WebSocket>();
  /** Keys whose handshake is not answered yet. */
  private readonly handshakes = new Set<string>();
  private readonly sessions = new Set<WebSocketSession>();
  private ticking: Timer | undefined;
  private stopping = false;

  constructor(
    private readonly queue: ChannelQueue,
    private readonly bodies: BodyBuffers,
    private readonly keys: KeyDirectory,
    private readonly holders: Holders,
    private readonly bus: Bus,
    private readonly clock: Clock,
    private readonly telemetry: Telemetry,
    private readonly logger: Logger,
    /** A channel got or lost its socket. */
    private readonly onBound: (channelId: string) => void,
    /** A frame with events of the channel is on its way. */
    private readonly onSent: (channelId: string, message: NotificationMessage) => void,
    /** Whether the key has a channel for sockets, though Redis may not know it yet. */
    private readonly isRegistered: (key: KnownKey) => Promise<boolean>,
  ) {
    telemetry.sockets(() => this.open.size);
  }

  attachTo(server: Server): void {
    server.on('upgrade', (request, socket, head) => this.upgrade(request, socket, head));
    let tickedAtMs = performance.now();
    this.ticking = this.clock.every(tickMs, () => {
      const stoodStill = performance.now() - tickedAtMs > standstillMs;
      tickedAtMs = performance.now();
      // After a pause of this process, answers of clients that were in time are still waiting to be read.
      if (stoodStill) return;
      const now = this.clock.now();
      for (const session of this.sessions) session.tick(now);
    });
    this.keys.onRevoked((keyId, proves) => {
      for (const holder of this.holders.ofChannel(keyId))
        if (!holder.secret || !proves(holder.secret)) holder.close('key revoked');
    });
  }

  /** Tells every client to come back, to another replica. */
  async stop(): Promise<void> {
    this.stopping = true;
    for (const session of this.sessions) session.close('restart');
    for (const socket of this.open) socket.close(closeCodes.restart, 'restart');
    const deadline = this.clock.now() + goodbyesMs;
    while (this.open.size > 0 && this.clock.now() < deadline) await this.clock.sleep(20);
    for (const socket of this.open) socket.terminate();
    this.ticking?.cancel();
    this.ws.close();
  }

  private upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    socket.on('error', () => socket.destroy());
    const path = normaliseUrl(request.url ?? '/').split('?')[0];
    if (path !== connectPath) return refuse(socket, '404 Not Found');
    if (this.stopping) return refuse(socket, '503 Service Unavailable');
    const text = keyTextOfSocket(request.headers.authorization, request.headers['sec-websocket-protocol']);
    if (text !== undefined && this.handshakes.has(text))
      return refuse(socket, '429 Too Many Requests', 'retry-after: 1\r\n');
    this.shakeHands(request, socket, head, text).catch((err: unknown) => {
      this.logger.warn({ err }, 'handshake failed');
      socket.destroy();
    });
  }

  private async shakeHands(request: IncomingMessage, socket: Duplex, head: Buffer, text?: string): Promise<void> {
    const tooLate = this.clock.after(handshakeMaxMs, () => socket.destroy());
    try {
      if (text !== undefined) this.handshakes.add(text);
      const key = text === undefined ? undefined : await this.keys.verify(text);
      this.ws.handleUpgrade(request, socket, head, (client) => this.welcome(client, socket, key));
    } finally {
      tooLate.cancel();
      if (text !== undefined) this.handshakes.delete(text);
    }
  }

  /** Browsers cannot see an HTTP status, so a wrong key is told by a close code (spec §5 rule 11). */
  private welcome(client: WebSocket, connection: Duplex, key: KnownKey | undefined): void {
    this.open.add(client);
    client.on('error', (err) => this.logger.debug({ err }, 'socket'));
    client.once('close', () => this.open.delete(client));
    if (!key) return this.close(client, 'invalid key');
    this.bind(client, connection, key).catch((err: unknown) => {
      this.logger.warn({ err }, 'socket not admitted');
      this.close(client, 'restart');
    });
  }

  private async bind(client: WebSocket, connection: Duplex, key: KnownKey): Promise<void> {
    const { keyId, accountId, secret } = key;
    const conn = newId();
    const session = this.session(client, connection, keyId, accountId, conn);
    session.secret = secret;
    // Before the channel is taken, so that an event that comes right then finds someone to wake.
    this.holders.add(session);
    const attached = await this.queue
      .attach(keyId, accountId, { conn, mode: 'newest', kind: 'websocket' })
      .catch((error: unknown) => {
        this.holders.remove(session);
        throw error;
      });
    if (attached.outcome !== 'ok') {
      this.holders.remove(session);
      const comesBack = attached.outcome === 'missing' && (await this.isRegistered(key));
      return this.close(client, comesBack ? 'restart' : 'no channel');
    }
    if (attached.previous) this.bus.close(attached.previous, 'newer socket');
    if (client.readyState !== client.OPEN || this.stopping) {
      this.holders.remove(session);
      await this.queue.letGo(attached.hold);
      return this.close(client, 'restart');
    }
    this.sessions.add(session);
    session.start(attached.hold, attached.cursor);
    this.onBound(keyId);
  }

  private session(
    client: WebSocket,
    connection: Duplex,
    keyId: string,
    accountId: string,
    conn: string,
  ): WebSocketSession {
    const session: WebSocketSession = new WebSocketSession(
      client,
      connection,
      keyId,
      accountId,
      conn,
      this.queue,
      this.bodies,
      this.clock,
      this.holders,
      {
        sent: (message) => this.onSent(keyId, message),
        delivered: (events) => this.telemetry.delivered('websocket', events),
        failed: (err) => this.logger.debug({ err, channelId: keyId }, 'socket waits for Redis'),
        left: (hold) => void this.unbind(keyId, hold),
        ended: (hold, cause) => {
          this.sessions.delete(session);
          this.holders.remove(session);
          if (cause) this.telemetry.closed(cause);
          void this.unbind(keyId, hold);
        },
      },
    );
    return session;
  }

  private async unbind(keyId: string, hold: Hold | undefined): Promise<void> {
    if (hold && (await this.queue.letGo(hold))) this.onBound(keyId);
  }

  private close(client: WebSocket, cause: CloseCause): void {
    this.telemetry.closed(cause);
    client.close(closeCodes[cause], cause);
  }
}
