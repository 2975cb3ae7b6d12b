import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import {
  CONFIG,
  hasBody,
  normaliseUrl,
  rawError,
  rawHead,
  requestIdHeader,
  requestIdOf,
  ServiceError,
  urlLengthMax,
  ValidationFailed,
} from '@lanyard/service';
import { Inject, Injectable } from '@nestjs/common';
import { clientAddress } from '../authentication/client-address.js';
import { KeyAuthenticator } from '../authentication/key-authenticator.js';
import type { GatewayConfig } from '../config.js';
import { BadGateway, UrlTooLong } from '../errors.js';
import { notifications } from '../permissions.js';
import { ConnectionLimits } from './connection-limits.js';
import { type HandshakeResult, Handshakes } from './handshake.js';
import { handshakeHeaders, responseHeaders } from './headers.js';
import { OpenCalls } from './open-calls.js';
import { websocketPath } from './routes.js';
import { Tunnels } from './tunnels.js';

interface UpgradeRequest {
  request: IncomingMessage;
  socket: Socket;
  head: Buffer;
  path: string;
  requestId: string;
}

/** RFC 6455 §4.1. The method is checked here, as the request to the dispatcher is always a GET. */
const isHandshake = ({ method, headers }: IncomingMessage): boolean =>
  method === 'GET' && headers.upgrade?.toLowerCase() === 'websocket';

const isOffered = (request: IncomingMessage, path: string): boolean => path === websocketPath && isHandshake(request);

const bodyRefused = 'A WebSocket handshake has none';

/**
 * For which requests the server emits an upgrade. If it is not offered and the request has a body, Node ignores it: Node 26
 * reads the body of an emitted upgrade itself, and `asPlainRequest` would wait for it until a time-out.
 */
export const isUpgrade = (request: IncomingMessage): boolean =>
  !hasBody(request) || isOffered(request, normaliseUrl(request.url ?? '/').split('?', 1)[0] as string);

/**
 * An upgrade that the gateway does not offer is ignored, as RFC 9110 §7.8 allows: some HTTP clients ask for h2c with every
 * request. The request is handled again, without the upgrade header, and with the requests that are pipelined behind it, which
 * Node would drop.
 */
const asPlainRequest = (server: Server, { request, socket, head }: UpgradeRequest): void => {
  const lines = [`${request.method} ${request.url} HTTP/${request.httpVersion}`];
  for (let i = 0; i + 1 < request.rawHeaders.length; i += 2) {
    const name = (request.rawHeaders[i] as string).toLowerCase();
    if (!['connection', 'upgrade', 'http2-settings'].includes(name))
      lines.push(`${name}: ${request.rawHeaders[i + 1]}`);
  }
  socket.unshift(Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), head]));
  server.emit('connection', socket);
};

/** A client that does not close its side would keep the connection: after an upgrade it has no time-out. */
const closeWhenAnswered = (socket: Socket): void => void socket.once('finish', () => socket.destroy());

const refuse = ({ request, socket, path, requestId }: UpgradeRequest, error: ServiceError): void => {
  closeWhenAnswered(socket);
  socket.end(rawError(error, { path, accept: request.headers.accept, requestId }));
};

/** The replica did not switch: its response is passed on and the connection ends, so that nothing follows unchecked. */
const passRefusal = ({ socket, requestId }: UpgradeRequest, { response }: HandshakeResult): void => {
  const headers = Object.entries({
    ...responseHeaders(response.headers),
    [requestIdHeader]: requestId,
    connection: 'close',
  });
  const flat = headers.flatMap(([name, value]) => [value].flat().flatMap((one) => [name, one]));
  closeWhenAnswered(socket);
  socket.write(rawHead(response.statusCode ?? 502, flat));
  response.on('error', () => socket.destroy());
  response.pipe(socket);
};

/** RFC 6455's registry: service restart. */
const serviceRestart = 1012;

/** Passes WebSockets through to the dispatcher as bytes; the dispatcher checks the key (docs/adr/0007). */
@Injectable()
export class Upgrades {
  constructor(
    private readonly connections: ConnectionLimits,
    private readonly authenticator: KeyAuthenticator,
    private readonly handshakes: Handshakes,
    private readonly openCalls: OpenCalls,
    private readonly tunnels: Tunnels,
    @Inject(CONFIG) private readonly config: GatewayConfig,
  ) {}

  attach(server: Server): void {
    server.on('upgrade', (request: IncomingMessage, socket: Socket, head: Buffer) => {
      const url = normaliseUrl(request.url ?? '/');
      const path = url.split('?', 1)[0] as string;
      const requestId = requestIdOf(request);
      const upgrade = { request, socket, head, path, requestId };
      if (!isOffered(request, path)) return asPlainRequest(server, upgrade);
      if (this.connections.isReserve(socket)) return this.connections.refuse(socket);
      socket.on('error', () => socket.destroy());
      if (url.length > urlLengthMax) return refuse(upgrade, new UrlTooLong());
      // What is behind the head would reach the dispatcher as frames, although HTTP says that it is no part of them.
      if (hasBody(request)) return refuse(upgrade, new ValidationFailed([{ name: 'body', message: bodyRefused }]));
      this.openCalls.track(socket);
      void this.pass(upgrade, url);
    });
  }

  /** Closes every WebSocket with 1012, as soon as the frame in progress has passed, and each that opens from now on. */
  stop(): void {
    this.tunnels.closeAll(serviceRestart);
  }

  private async refusalOf({ request, socket, requestId }: UpgradeRequest): Promise<ServiceError | undefined> {
    try {
      this.connections.admit(request, socket);
      const operation = `GET ${websocketPath}`;
      await this.authenticator.admit(request, { requestId, operation, needed: notifications });
      return undefined;
    } catch (error) {
      if (error instanceof ServiceError) return error;
      throw error;
    }
  }

  private async pass(upgrade: UpgradeRequest, url: string): Promise<void> {
    const { request, socket, head, requestId } = upgrade;
    const gone = new AbortController();
    const abort = (): void => gone.abort();
    socket.once('close', abort);
    const refusal = await this.refusalOf(upgrade);
    if (gone.signal.aborted) return;
    if (refusal) return refuse(upgrade, refusal);
    const from = { requestId, address: clientAddress(request, this.config.trustedProxies) };
    const result = await this.handshakes.requestUpgrade(url, handshakeHeaders(request.headers, from), gone.signal);
    socket.off('close', abort);
    if (gone.signal.aborted) return void result?.upgraded?.socket.destroy();
    if (!result) return refuse(upgrade, new BadGateway());
    if (!result.upgraded) return passRefusal(upgrade, result);
    this.tunnels.join({ socket, head }, result.upgraded, result.response);
  }
}
