import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import { type Clock, CLOCK, CONFIG, KeyedCounts, Metrics, RateLimited } from '@lanyard/service';
import { Inject, Injectable } from '@nestjs/common';
import type { ConnectionBounds, GatewayConfig } from '../config.js';
import { clientAddress, clientNetworkOf } from '../authentication/client-address.js';

const retryAfterSeconds = 60;

/**
 * How long an idle connection of a proxy is kept: longer than proxies keep it (Google Cloud for ten minutes, Envoy for an hour). A
 * request that a proxy sends while this end closes the connection fails with 502.
 */
const proxyKeepAliveMs = 65 * 60_000;

/** Connections beyond the total, for probes. Which of them are probes shows only with their requests. */
const reserveMax = 100;

/** How long a connection of the reserve lasts at most: as long as a probe waits for its response. */
const reserveMs = 5_000;

/**
 * Limits open connections. Behind proxies the peer of a connection is a proxy, which carries many clients: there, the WebSockets
 * of each address are counted, by X-Forwarded-For, and the proxy limits connections and decides when idle ones are closed.
 */
@Injectable()
export class ConnectionLimits {
  private readonly open = new KeyedCounts();
  private readonly counted = new WeakSet<Socket>();
  private readonly announced = new WeakSet<Socket>();
  private readonly reserve = new WeakSet<Socket>();
  /** Open connections, with those of the reserve. */
  private total = 0;
  private readonly bounds: ConnectionBounds;
  private readonly trustedProxies: number;
  private readonly refused;

  constructor(
    @Inject(CONFIG) { connections, trustedProxies }: GatewayConfig,
    @Inject(CLOCK) private readonly clock: Clock,
    metrics: Metrics,
  ) {
    this.bounds = connections;
    this.trustedProxies = trustedProxies;
    this.refused = metrics.counter({
      name: 'lanyard_gateway_refused_connections_total',
      help: 'Connections and WebSocket handshakes refused because of a limit',
      labelNames: ['limit'],
    });
  }

  attach(server: Server): void {
    server.maxConnections = this.bounds.max + reserveMax;
    server.on('drop', () => this.refused.inc({ limit: 'total' }));
    if (this.trustedProxies > 0) server.keepAliveTimeout = proxyKeepAliveMs;
    server.on('connection', (socket: Socket) => {
      // A connection whose upgrade is ignored is announced to the server a second time.
      if (this.announced.has(socket)) return;
      this.announced.add(socket);
      this.countTotal(socket);
      if (this.trustedProxies === 0 && !this.admitSocket(socket, socket.remoteAddress ?? '')) socket.destroy();
    });
  }

  /** Throws RateLimited if the client has too many WebSockets. Without proxies its connection has been counted. */
  admit(handshake: IncomingMessage, socket: Socket): void {
    if (this.trustedProxies === 0 || this.counted.has(socket)) return;
    if (!this.admitSocket(socket, clientAddress(handshake, this.trustedProxies)))
      throw new RateLimited(retryAfterSeconds);
  }

  /** Whether the connection was opened beyond the total: only a probe may use it. */
  isReserve(socket: Socket): boolean {
    return this.reserve.has(socket);
  }

  /** Closes a connection of the reserve without a response: a proxy then tries another replica. */
  refuse(socket: Socket): void {
    this.refused.inc({ limit: 'total' });
    socket.destroy();
  }

  private countTotal(socket: Socket): void {
    if (++this.total > this.bounds.max) this.addToReserve(socket);
    socket.once('close', () => this.total--);
  }

  private addToReserve(socket: Socket): void {
    this.reserve.add(socket);
    const end = this.clock.after(reserveMs, () => this.refuse(socket));
    socket.once('close', () => end.cancel());
  }

  private admitSocket(socket: Socket, address: string): boolean {
    const client = clientNetworkOf(address);
    if (this.open.get(client) >= this.bounds.perAddressMax) {
      this.refused.inc({ limit: 'address' });
      return false;
    }
    this.counted.add(socket);
    this.open.increment(client);
    socket.once('close', () => this.open.decrement(client));
    return true;
  }
}
