import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import {
  type Logger,
  type Metrics,
  normaliseUrl,
  rawError,
  rawHead,
  requestIdHeader,
  requestIdOf,
  ServiceError,
  urlLengthMax,
} from '@lanyard/service';
import { clientAddress } from '../authentication/client-address.js';
import type { KeyAuthenticator } from '../authentication/key-authenticator.js';
import { BadGateway, UrlTooLong } from '../errors.js';
import { neverReached } from './forward.js';
import { type HandshakeAnswer, handshake } from './handshake.js';
import { handshakeHeaders, responseHeaders } from './headers.js';
import type { ConnectionLimits } from './connection-limits.js';
import type { OpenCalls } from './open-calls.js';
import type { Replicas } from './replicas.js';
import { websocketPath } from './routes.js';
import { tunnel } from './tunnel.js';

export interface UpgradeParts {
  authenticator: KeyAuthenticator;
  connections: ConnectionLimits;
  replicas: Replicas;
  openCalls: OpenCalls;
  trustedProxies: number;
  logger: Logger;
  metrics: Metrics;
}

interface Knock {
  request: IncomingMessage;
  socket: Socket;
  head: Buffer;
  path: string;
  requestId: string;
}

/**
 * An upgrade that we do not offer is ignored, as RFC 9110 §7.8 allows: some HTTP clients ask for h2c with every
 * request. The request goes through the server again, without the wish.
 */
const asPlainRequest = (server: Server, { request, socket, head }: Knock): void => {
  const lines = [`${request.method} ${request.url} HTTP/${request.httpVersion}`];
  for (let i = 0; i + 1 < request.rawHeaders.length; i += 2) {
    const name = (request.rawHeaders[i] as string).toLowerCase();
    if (!['connection', 'upgrade', 'http2-settings'].includes(name))
      lines.push(`${name}: ${request.rawHeaders[i + 1]}`);
  }
  socket.unshift(Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), head]));
  server.emit('connection', socket);
};

const refuse = ({ request, socket, path, requestId }: Knock, error: ServiceError): void =>
  void socket.end(rawError(error, { path, accept: request.headers.accept, requestId }));

/** The replica did not switch: its answer goes back and the connection ends, so nothing follows it unchecked. */
const passAnswer = ({ socket, requestId }: Knock, { response }: HandshakeAnswer): void => {
  const headers = Object.entries({
    ...responseHeaders(response.headers),
    [requestIdHeader]: requestId,
    connection: 'close',
  });
  const flat = headers.flatMap(([name, value]) => [value].flat().flatMap((one) => [name, one]));
  socket.write(rawHead(response.statusCode ?? 502, flat));
  response.on('error', () => socket.destroy());
  response.pipe(socket);
};

/** RFC 6455's registry: service restart. */
const serviceRestart = 1012;

/** Passes WebSockets through to the dispatcher as bytes; who holds which key is its business (docs/adr/0007). */
export class Upgrades {
  private readonly closers = new Set<(code: number) => void>();
  private stopping = false;

  constructor(private readonly parts: UpgradeParts) {}

  attach(server: Server): void {
    server.on('upgrade', (request: IncomingMessage, socket: Socket, head: Buffer) => {
      const url = normaliseUrl(request.url ?? '/');
      const path = url.split('?', 1)[0] as string;
      const requestId = requestIdOf(request);
      const knock = { request, socket, head, path, requestId };
      if (path !== websocketPath || request.headers.upgrade?.toLowerCase() !== 'websocket')
        return asPlainRequest(server, knock);
      socket.on('error', () => socket.destroy());
      if (url.length > urlLengthMax) return refuse(knock, new UrlTooLong());
      const refusal = this.refusalOf(request, socket);
      if (refusal) return refuse(knock, refusal);
      this.parts.openCalls.enter(socket);
      void this.pass(knock, url);
    });
  }

  /** Closes every WebSocket with 1012, as soon as the frame under way has passed; also those that come from now on. */
  stop(): void {
    this.stopping = true;
    for (const close of this.closers) close(serviceRestart);
  }

  private refusalOf(handshake: IncomingMessage, socket: Socket): ServiceError | undefined {
    try {
      this.parts.connections.admit(handshake, socket);
      this.parts.authenticator.admit(handshake);
      return undefined;
    } catch (error) {
      if (error instanceof ServiceError) return error;
      throw error;
    }
  }

  private async pass(knock: Knock, url: string): Promise<void> {
    const { request, socket, requestId } = knock;
    const left = new AbortController();
    const leave = (): void => left.abort();
    socket.once('close', leave);
    const from = { requestId, address: clientAddress(request, this.parts.trustedProxies) };
    const answer = await this.ask(url, handshakeHeaders(request.headers, from), left.signal);
    socket.off('close', leave);
    if (left.signal.aborted) return void answer?.upgraded?.socket.destroy();
    if (!answer) return refuse(knock, new BadGateway());
    if (!answer.upgraded) return passAnswer(knock, answer);
    this.join(knock, answer.response, answer.upgraded);
  }

  /** undefined when no replica answered. */
  private async ask(
    url: string,
    headers: Record<string, string | string[]>,
    signal: AbortSignal,
  ): Promise<HandshakeAnswer | undefined> {
    for (const replica of this.parts.replicas.order()) {
      try {
        return await handshake(replica, url, headers, signal);
      } catch (err) {
        if (signal.aborted) return undefined;
        if (neverReached(err)) replica.rest();
        this.parts.logger.warn({ err, replica: replica.url.host }, 'a dispatcher replica did not answer a handshake');
      }
    }
    return undefined;
  }

  private join({ socket, head }: Knock, response: IncomingMessage, upgraded: { socket: Socket; head: Buffer }): void {
    for (const side of [socket, upgraded.socket]) {
      side.setTimeout(0);
      side.setNoDelay(true);
      side.setKeepAlive(true, 30_000);
    }
    socket.write(rawHead(101, response.rawHeaders));
    const open = this.parts.metrics.gauge({ name: 'lanyard_gateway_sockets', help: 'WebSockets passed through' });
    open.inc();
    const close = tunnel(socket, upgraded.socket, { client: head, upstream: upgraded.head });
    this.closers.add(close);
    socket.once('close', () => {
      open.dec();
      this.closers.delete(close);
    });
    if (this.stopping) close(serviceRestart);
  }
}
