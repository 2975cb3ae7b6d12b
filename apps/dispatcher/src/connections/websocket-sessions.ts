import type { Duplex } from 'node:stream';
import { type Clock, type Logger, LOGGER, newId, type Timer } from '@lanyard/service';
import { Inject, Injectable } from '@nestjs/common';
import type { WebSocket } from 'ws';
import { BodyBuffers } from '../delivery/body-buffers.js';
import { LastMessages } from '../delivery/last-messages.js';
import { Telemetry } from '../delivery/telemetry.js';
import type { KnownKey } from '../keys/key-directory.js';
import { ChannelQueue } from '../queue/channel-queue.js';
import { LocalClock } from '../queue/local-clock.js';
import type { CloseCause } from '../replicas/close-codes.js';
import { Holders } from '../replicas/holders.js';
import { SocketBinding } from './socket-binding.js';
import { type SessionListener, type SocketLine, WebSocketSession } from './websocket-session.js';

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
    private readonly holders: Holders,
    private readonly queue: ChannelQueue,
    private readonly bodies: BodyBuffers,
    @Inject(LocalClock) private readonly clock: Clock,
    private readonly telemetry: Telemetry,
    private readonly last: LastMessages,
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

  /** Tells every client to reconnect to another replica. */
  restart(): void {
    this.stopping = true;
    for (const session of this.sessions) session.close('restart');
  }

  /** Closes the sockets and polls of a key. `proves`: whether a secret, by its fingerprint, still proves the key. */
  revoke(keyId: string, proves: (secret: string) => boolean): void {
    for (const holder of this.holders.ofChannel(keyId))
      if (!holder.secret || !proves(holder.secret)) holder.close('key revoked');
  }

  /** Ends the periodic checks: no client is left. */
  stop(): void {
    this.ticking?.cancel();
  }

  /** Attaches the socket of a client at this address to its channel. Returns the cause when the socket is to be closed. */
  async begin(client: WebSocket, connection: Duplex, key: KnownKey, address: string): Promise<CloseCause | undefined> {
    const session = this.session({ socket: client, connection }, key, address);
    const bound = await this.binding.attach(key, session, address);
    if (typeof bound === 'string') return bound;
    if (client.readyState !== client.OPEN || this.stopping) {
      // The socket that this one replaced was announced as connected.
      await this.binding.release(session, bound.hold, bound.previous !== undefined);
      return 'restart';
    }
    this.sessions.add(session);
    session.start(bound.hold, bound.cursor);
    this.binding.announce(key.keyId);
    return undefined;
  }

  private session(line: SocketLine, { keyId, accountId, secret }: KnownKey, address: string): WebSocketSession {
    const { queue, bodies, clock, binding, holders } = this;
    const owner = { channelId: keyId, accountId, conn: newId(), address, secret };
    const listener: SessionListener = {
      sent: (batch) => {
        this.telemetry.sent('websocket', keyId, batch.message);
        this.last.add(keyId, batch, 'sent');
      },
      delivered: (events) => this.telemetry.delivered('websocket', events),
      attachedAgain: () => binding.announce(keyId),
      failed: (err) => this.logger.debug({ err, channelId: keyId }, 'socket waits for Redis'),
      left: (hold) => void binding.release(session, hold),
      ended: (hold, cause) => {
        this.sessions.delete(session);
        if (cause) this.telemetry.closed(cause);
        void binding.release(session, hold);
      },
    };
    const session = new WebSocketSession(line, owner, { queue, bodies, clock, holders }, listener);
    return session;
  }
}
