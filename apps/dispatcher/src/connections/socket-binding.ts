import { Injectable } from '@nestjs/common';
import { ConnectionAnnouncer } from '../channels/connection-announcer.js';
import type { KnownKey } from '../keys/key-directory.js';
import { type Attached, ChannelQueue, type Hold } from '../queue/channel-queue.js';
import type { CloseCause } from '../replicas/close-codes.js';
import { type Holder, Holders } from '../replicas/holders.js';
import { WakeUpBus } from '../replicas/wake-up-bus.js';
import { ChannelStore } from '../store/channel-store.js';

export type Bound = Extract<Attached, { outcome: 'ok' }>;

/** Attaches sockets to their channels, and detaches them. */
@Injectable()
export class SocketBinding {
  constructor(
    private readonly queue: ChannelQueue,
    private readonly store: ChannelStore,
    private readonly holders: Holders,
    private readonly bus: WakeUpBus,
    private readonly announcer: ConnectionAnnouncer,
  ) {}

  /** The newest socket of a key gets the channel: an older one is closed. Returns a cause when this socket gets none. */
  async attach(key: KnownKey, session: Holder, address: string): Promise<Bound | CloseCause> {
    // Added before the channel is claimed, so that an event that arrives right then finds a holder to wake.
    this.holders.add(session);
    try {
      const bound = await this.claimChannel(key, session.conn, address);
      if (typeof bound === 'string') this.holders.remove(session);
      return bound;
    } catch (error) {
      this.holders.remove(session);
      throw error;
    }
  }

  /** Announces that the channel has a socket. */
  announce(channelId: string): void {
    this.announcer.changed(channelId);
  }

  /** The socket no longer delivers, or never did: releases its channel, if it had one. */
  async release(session: Holder, hold: Hold | undefined, isAnnounced = true): Promise<void> {
    this.holders.remove(session);
    if (hold && (await this.queue.release(hold)) && isAnnounced) this.announcer.changed(session.channelId);
  }

  private async claimChannel(key: KnownKey, conn: string, address: string): Promise<Bound | CloseCause> {
    const how = { conn, mode: 'newest', kind: 'websocket', address } as const;
    const attached = await this.queue.attach(key.keyId, key.accountId, how);
    if (attached.outcome !== 'ok') {
      const comesBack = attached.outcome === 'missing' && (await this.isRegistered(key));
      return comesBack ? 'restart' : 'no channel';
    }
    if (attached.previous) this.bus.close(attached.previous, 'newer socket');
    return attached;
  }

  /** Whether the key has a channel for sockets, though Redis may not know it yet. */
  private async isRegistered({ keyId, accountId }: KnownKey): Promise<boolean> {
    const channel = await this.store.find(keyId);
    return channel?.kind === 'websocket' && channel.accountId === accountId;
  }
}
