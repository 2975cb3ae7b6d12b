import type { Duplex } from 'node:stream';
import { type Clock, type Logger, LOGGER, newId, type Timer } from '@lanyard/service';
import { Inject, Injectable } from '@nestjs/common';
import type { WebSocket } from 'ws';
import { BodyBuffers } from '../delivery/body-buffers.js';
import { Telemetry } from '../delivery/telemetry.js';
import type { KnownKey } from '../keys/key-directory.js';
import { ChannelQueue } from '../queue/channel-queue.js';
import { LocalClock } from '../queue/local-clock.js';
import type { CloseCause } from '../replicas/close-codes.js';
import { Holders } from '../replicas/holders.js';
import { EventTraces } from '../tracing/event-traces.js';
import { SocketBinding } from './socket-binding.js';
import { WebSocketSession } from './websocket-session.js';

const tickMs = 1_000;

/** Ticks further apart than this mean that the process was stopped or starved. */
const standstillMs = 3 * tickMs;

/** The sockets of this replica that have a channel. */
@Injectable()
export class WebSocketSessions {
  private readonly sessions = new Set<WebSocketSession>();
  private ticking: Timer | undefined;
  private stopping = false;

  constructor(
    private readonly binding: SocketBinding,
    private readonly queue: ChannelQueue,
    private readonly bodies: BodyBuffers,
    private readonly holders: Holders,
    @Inject(LocalClock) private readonly clock: Clock,
    private readonly telemetry: Telemetry,
    private readonly traces: EventTraces,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  start(): void {
    let tickedAtMs = performance.now();
    this.ticking = this.clock.every(tickMs, () => {
      const stoodStill = performance.now() - tickedAtMs > standstillMs;
      tickedAtMs = performance.now();
      // After a pause of this process, answers of clients that were in time are still waiting to be read.
      if (stoodStill) return;
      const now = this.clock.now();
      for (const session of this.sessions) session.tick(now);
    });
  }

  /** Tells every client to come back, to another replica. */
  restart(): void {
    this.stopping = true;
    for (const session of this.sessions) session.close('restart');
  }

  /** `proves`: whether a secret, by its fingerprint, still proves the key. */
  revoke(keyId: string, proves: (secret: string) => boolean): void {
    for (const holder of this.holders.ofChannel(keyId))
      if (!holder.secret || !proves(holder.secret)) holder.close('key revoked');
  }

  /** No client is left. */
  stop(): void {
    this.ticking?.cancel();
  }

  /** Attaches the socket to its channel. Returns the cause when it is to be closed. */
  async begin(client: WebSocket, connection: Duplex, key: KnownKey): Promise<CloseCause | undefined> {
    const { keyId, secret } = key;
    const conn = newId();
    const session = this.session(client, connection, key, conn);
    session.secret = secret;
    // Before the channel is claimed, so that an event that arrives right then finds a holder to wake.
    this.holders.add(session);
    const bound = await this.binding.attach(key, conn).catch((error: unknown) => {
      this.holders.remove(session);
      throw error;
    });
    if (typeof bound === 'string') {
      this.holders.remove(session);
      return bound;
    }
    if (client.readyState !== client.OPEN || this.stopping) {
      this.holders.remove(session);
      await this.queue.release(bound.hold);
      return 'restart';
    }
    this.sessions.add(session);
    session.start(bound.hold, bound.cursor);
    this.binding.announce(keyId);
    return undefined;
  }

  private session(client: WebSocket, connection: Duplex, key: KnownKey, conn: string): WebSocketSession {
    const { keyId, accountId } = key;
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
        sent: (message) => this.traces.sent('websocket', keyId, message),
        delivered: (events) => this.telemetry.delivered('websocket', events),
        failed: (err) => this.logger.debug({ err, channelId: keyId }, 'socket waits for Redis'),
        left: (hold) => void this.binding.release(keyId, hold),
        ended: (hold, cause) => {
          this.sessions.delete(session);
          this.holders.remove(session);
          if (cause) this.telemetry.closed(cause);
          void this.binding.release(keyId, hold);
        },
      },
    );
    return session;
  }
}
