import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import {
  type Clock,
  hasBody,
  keyTextOfSocket,
  type Logger,
  LOGGER,
  normaliseUrl,
  RateLimited,
  rawError,
  requestIdOf,
  type ServiceError,
  Unavailable,
} from '@lanyard/service';
import { Inject, Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { type WebSocket, WebSocketServer as WsServer } from 'ws';
import { Telemetry } from '../delivery/telemetry.js';
import { clientOf } from '../keys/client-of.js';
import { KeyDirectory, type KnownKey } from '../keys/key-directory.js';
import { handshakeMaxMs, socketPayloadBytesMax } from '../limits.js';
import { LocalClock } from '../queue/local-clock.js';
import { type CloseCause, closeCodes } from '../replicas/close-codes.js';
import { selectedProtocol } from './subprotocol.js';
import { WebSocketSessions } from './websocket-sessions.js';

export const connectPath = '/v2/notification/websocket-connect';

const pathOf = ({ url = '/' }: IncomingMessage): string => normaliseUrl(url).split('?', 1)[0] as string;

/**
 * For which requests the server emits an upgrade. Node ignores that others ask for one (RFC 9110 §7.8), as some HTTP clients do with
 * every request. A body is no part of the frames that follow a handshake.
 */
export const isUpgrade = (request: IncomingMessage): boolean => pathOf(request) === connectPath && !hasBody(request);

/** How long a stop waits for the clients' close frames. */
const closeFramesMs = 1_000;

/** A client that does not close its side would keep the connection: after an upgrade it has no time-out. */
const refuse = (request: IncomingMessage, socket: Duplex, error: ServiceError): void => {
  socket.once('finish', () => socket.destroy());
  const { accept } = request.headers;
  socket.end(rawError(error, { path: pathOf(request), accept, requestId: requestIdOf(request) }));
};

/**
 * Answers pings, of those that come while a pong is on its way only the last one (RFC 6455 §5.5.3): the pongs for a client that
 * sends without reading would pile up in memory.
 */
const answerPings = (client: WebSocket): void => {
  let isSending = false;
  let last: Buffer | undefined;
  const answer = (data: Buffer): void => {
    if (isSending) {
      last = data;
      return;
    }
    isSending = true;
    client.pong(data, false, () => {
      isSending = false;
      const next = last;
      last = undefined;
      if (next) answer(next);
    });
  };
  client.on('ping', answer);
};

/** Accepts sockets on the service's HTTP port and checks their keys. */
@Injectable()
export class WebSocketServer implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly ws = new WsServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    maxPayload: socketPayloadBytesMax,
    autoPong: false,
    handleProtocols: (offered) => selectedProtocol(offered),
  });
  private readonly open = new Map<WebSocket, { keyId: string | undefined; address: string }>();
  /** Keys whose handshake is not answered yet. */
  private readonly handshakes = new Set<string>();
  private stopping = false;

  constructor(
    private readonly http: HttpAdapterHost,
    private readonly keys: KeyDirectory,
    private readonly sessions: WebSocketSessions,
    private readonly telemetry: Telemetry,
    @Inject(LocalClock) private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    telemetry.sockets(() => this.open.size);
  }

  onApplicationBootstrap(): void {
    const server: Server = this.http.httpAdapter.getHttpServer();
    server.on('upgrade', (request, socket, head) => this.upgrade(request, socket, head));
    this.sessions.start();
    this.keys.onRevoked((keyId, proves) => this.sessions.revoke(keyId, proves));
    this.keys.onChange((keyId) => this.closeElsewhere(keyId));
  }

  /** Tells every client to reconnect to another replica. This hook runs first, so that clients are told even if a backend is away. */
  async onModuleDestroy(): Promise<void> {
    this.stopping = true;
    this.sessions.restart();
    for (const socket of this.open.keys()) socket.close(closeCodes.restart, 'restart');
    const deadline = this.clock.now() + closeFramesMs;
    while (this.open.size > 0 && this.clock.now() < deadline) await this.clock.sleep(20);
    for (const socket of this.open.keys()) socket.terminate();
    this.sessions.stop();
    this.ws.close();
  }

  private upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    socket.on('error', () => socket.destroy());
    if (this.stopping) return refuse(request, socket, new Unavailable());
    const text = keyTextOfSocket(request.headers.authorization, request.headers['sec-websocket-protocol']);
    if (text !== undefined && this.handshakes.has(text)) return refuse(request, socket, new RateLimited(1));
    this.handshake(request, socket, head, text).catch((err: unknown) => {
      this.logger.warn({ err }, 'handshake failed');
      socket.destroy();
    });
  }

  private async handshake(request: IncomingMessage, socket: Duplex, head: Buffer, text?: string): Promise<void> {
    const tooLate = this.clock.after(handshakeMaxMs, () => socket.destroy());
    try {
      if (text !== undefined) this.handshakes.add(text);
      const address = clientOf(request);
      const key = text === undefined ? undefined : await this.keys.verify(text, address);
      this.ws.handleUpgrade(request, socket, head, (client) => {
        this.open.set(client, { keyId: key?.keyId, address });
        this.accept(client, socket, key, address);
      });
    } finally {
      tooLate.cancel();
      if (text !== undefined) this.handshakes.delete(text);
    }
  }

  /** Browsers cannot see an HTTP status, so a close code tells them that the key is wrong (spec §5 rule 11). */
  private accept(client: WebSocket, connection: Duplex, key: KnownKey | undefined, address: string): void {
    client.on('error', (err) => this.logger.debug({ err }, 'socket'));
    client.once('close', () => this.open.delete(client));
    answerPings(client);
    if (!key) return this.close(client, 'invalid key');
    this.sessions.begin(client, connection, key, address).then(
      (cause) => {
        if (cause) this.close(client, cause);
      },
      (err: unknown) => {
        this.logger.warn({ err }, 'socket not admitted');
        this.close(client, 'restart');
      },
    );
  }

  /** Closes sockets of a key whose allowed networks were changed, if their client is outside these. */
  private closeElsewhere(keyId: string): void {
    for (const [client, from] of this.open)
      if (from.keyId === keyId && !this.keys.isAllowedFrom(keyId, from.address)) this.close(client, 'key revoked');
  }

  private close(client: WebSocket, cause: CloseCause): void {
    this.telemetry.closed(cause);
    client.close(closeCodes[cause], cause);
  }
}
