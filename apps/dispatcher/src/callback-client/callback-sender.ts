import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import { createSecureContext, rootCertificates, type SecureContext } from 'node:tls';
import type { Clock, Timer } from '@lanyard/service';
import type { OnApplicationBootstrap, OnApplicationShutdown } from '@nestjs/common';
import { buildConnector, type Dispatcher, Pool } from 'undici';
import { callbackTimeoutMs } from '../limits.js';
import type { AddressGuard } from './address-guard.js';
import { CallbackExchange, type SendOutcome, SendPermitWithdrawn } from './callback-exchange.js';
import type { Signing } from './signature.js';

export interface CallbackTarget {
  url: string;
  headers: Record<string, string>;
  /** Absent when messages are not signed. */
  signing?: Signing;
}

/** Permission to write a request. It expires. */
export interface SendPermit {
  /** Whether the permit is valid now, and until this process does anything else. */
  holds(): boolean;
  /** Asks for the permit again. */
  renew(): Promise<boolean>;
}

export interface Outgoing {
  body: Buffer;
  /** Headers that are not the customer's. */
  headers?: Record<string, string>;
  /** Must hold when the connection is open, right before anything is written. */
  permit?: SendPermit;
}

interface ChannelConnection {
  /** The URL that `origin` and `path` were parsed from. */
  url: string;
  origin: string;
  path: string;
  pool: Pool;
  /** The socket of the last connection. */
  socket: Socket | undefined;
  usedAtMs: number;
}

/** `bodyLeft`: no part of the body is waiting in this process any more. */
export type Sent = SendOutcome & { bodyLeft: boolean };

/** Connections of a channel that sent nothing for so long are closed. */
const connectionIdleMaxMs = 5 * 60_000;
const idlePeriodMs = 60_000;

/** Ends connection attempts whose request is already over. Longer than the request itself may take. */
const connectTimeoutMs = callbackTimeoutMs + 1_000;

const ownHeaders = { 'content-type': 'application/json', 'accept-encoding': 'identity' };

/** A body given as an iterable is first read when its request can be written: if the iterable throws, nothing is sent. */
async function* bodyIfPermitted(body: Buffer, permit: SendPermit): AsyncGenerator<Buffer> {
  // A permit that cannot be renewed says nothing about the receiver.
  const isPermitted = permit.holds() || (await permit.renew().catch(() => false));
  if (!isPermitted) throw new SendPermitWithdrawn();
  yield body;
}

const requestOf = (
  path: string,
  target: CallbackTarget,
  { body, headers, permit }: Outgoing,
  isAtOnce: boolean,
): Dispatcher.DispatchOptions => ({
  method: 'PUT',
  path,
  headers: Object.assign({}, target.headers, headers, ownHeaders, { 'content-length': String(body.length) }),
  body: isAtOnce || !permit ? body : Readable.from(bodyIfPermitted(body, permit), { objectMode: false }),
});

interface CallbackTls {
  /** PEM certificates that are trusted beside the built-in roots. */
  authorities?: readonly string[];
  /** Shown to a server that asks for a certificate. */
  certificate?: { cert?: string; key?: string };
}

/** Built once: parsing all roots for each connection is slow. */
const contextOf = ({ authorities = [], certificate = {} }: CallbackTls): SecureContext | undefined => {
  if (authorities.length === 0 && certificate.cert === undefined) return undefined;
  return createSecureContext({
    ...(authorities.length > 0 && { ca: [...rootCertificates, ...authorities] }),
    ...certificate,
  });
};

/**
 * Sends batches to callback URLs: PUT, 200 or 204 is success, no redirects, 20 s for everything together (spec §7,
 * §8). Each channel has its own connections: one customer's slow server delays no other customer.
 */
export class CallbackSender implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly connections = new Map<string, ChannelConnection>();

  private readonly secureContext: SecureContext | undefined;
  private looking: Timer | undefined;

  constructor(
    private readonly guard: AddressGuard,
    private readonly clock: Clock,
    tls: CallbackTls = {},
  ) {
    this.secureContext = contextOf(tls);
  }

  /** Never rejects. */
  async send(channelId: string, target: CallbackTarget, message: Outgoing, signal?: AbortSignal): Promise<Sent> {
    let connection: ChannelConnection | undefined;
    let isAtOnce = false;
    const exchange = new CallbackExchange(() => !isAtOnce || !message.permit || message.permit.holds());
    const timer = this.clock.after(callbackTimeoutMs, () => exchange.endWith('timeout'));
    const abort = (): void => exchange.endWith('aborted');
    signal?.addEventListener('abort', abort);
    try {
      if (signal?.aborted) abort();
      connection = this.connection(channelId, target.url);
      // On an open connection, a request is written in this turn of the event loop or the next (the pool itself is not free
      // before that), and asks for the permit once more then. Without one, the request has to wait for a connection.
      isAtOnce = connection.socket?.writable === true && (!message.permit || message.permit.holds());
      connection.pool.dispatch(requestOf(connection.path, target, message, isAtOnce), exchange);
    } catch (error) {
      exchange.fail(error);
    }
    const outcome = await exchange.outcome;
    timer.cancel();
    signal?.removeEventListener('abort', abort);
    // Otherwise the pool would keep the body, and the next one behind it, for as long as the peer leaves it connecting.
    if (connection && !exchange.hasStarted) this.drop(channelId, connection);
    return Object.assign({ bodyLeft: outcome.ok && connection?.socket?.writableLength === 0 }, outcome);
  }

  /** Closes the connections of a channel that is gone or has another URL. */
  forget(channelId: string): void {
    const connection = this.connections.get(channelId);
    if (connection) this.drop(channelId, connection);
  }

  onApplicationBootstrap(): void {
    this.looking = this.clock.every(idlePeriodMs, () => this.forgetIdle());
  }

  onApplicationShutdown(): void {
    this.close();
  }

  close(): void {
    this.looking?.cancel();
    for (const channelId of [...this.connections.keys()]) this.forget(channelId);
  }

  private drop(channelId: string, connection: ChannelConnection): void {
    if (this.connections.get(channelId) === connection) this.connections.delete(channelId);
    void connection.pool.destroy().catch(() => undefined);
  }

  private forgetIdle(): void {
    const before = this.clock.now() - connectionIdleMaxMs;
    for (const [channelId, { usedAtMs }] of this.connections) if (usedAtMs < before) this.forget(channelId);
  }

  /** Throws AddressForbidden. */
  private connection(channelId: string, url: string): ChannelConnection {
    const known = this.connections.get(channelId);
    const connection = known?.url === url ? known : this.connectionTo(channelId, url, known);
    connection.usedAtMs = this.clock.now();
    return connection;
  }

  /** The connections are kept when only the path has changed. */
  private connectionTo(channelId: string, url: string, known: ChannelConnection | undefined): ChannelConnection {
    const { origin, hostname, pathname, search } = new URL(url);
    this.guard.checkHost(hostname);
    if (known && known.origin !== origin) this.forget(channelId);
    const connection = known?.origin === origin ? known : this.newConnection(origin);
    this.connections.set(channelId, connection);
    return Object.assign(connection, { url, path: pathname + search });
  }

  private newConnection(origin: string): ChannelConnection {
    const connect = buildConnector({
      timeout: connectTimeoutMs,
      lookup: this.guard.lookup,
      // Overrides an environment variable of the process that says otherwise.
      rejectUnauthorized: true,
      ...(this.secureContext && { secureContext: this.secureContext }),
    });
    const pool = new Pool(origin, {
      connections: 1,
      pipelining: 1,
      // The pool's own time-outs each limit one part of a request; `send` limits the whole.
      headersTimeout: 0,
      bodyTimeout: 0,
      keepAliveTimeout: 30_000,
      connect: (options, connected) =>
        connect(options, (...made) => {
          connection.socket = made[1] ?? undefined;
          connected(...made);
        }),
    });
    const connection: ChannelConnection = { url: '', origin, path: '', pool, socket: undefined, usedAtMs: 0 };
    return connection;
  }
}
