import { Injectable } from '@nestjs/common';
import { ConnectionAnnouncer } from '../channels/connection-announcer.js';
import type { KnownKey } from '../keys/key-directory.js';
import { type Attached, ChannelQueue, type Hold } from '../queue/channel-queue.js';
import { WakeUpBus } from '../replicas/wake-up-bus.js';
import type { CloseCause } from '../replicas/close-codes.js';
import { ChannelStore } from '../store/channel-store.js';

export type Bound = Extract<Attached, { outcome: 'ok' }>;

/** Attaches sockets to their channels, and detaches them. */
@Injectable()
export class SocketBinding {
  constructor(
    private readonly queue: ChannelQueue,
    private readonly store: ChannelStore,
    private readonly bus: WakeUpBus,
    private readonly announcer: ConnectionAnnouncer,
  ) {}

  /** The newest socket of a key has its channel: an older one is closed. A cause: why this one gets none. */
  async attach(key: KnownKey, conn: string): Promise<Bound | CloseCause> {
    const attached = await this.queue.attach(key.keyId, key.accountId, { conn, mode: 'newest', kind: 'websocket' });
    if (attached.outcome !== 'ok') {
      const comesBack = attached.outcome === 'missing' && (await this.isRegistered(key));
      return comesBack ? 'restart' : 'no channel';
    }
    if (attached.previous) this.bus.close(attached.previous, 'newer socket');
    return attached;
  }

  /** The channel has its socket. */
  announce(channelId: string): void {
    this.announcer.changed(channelId);
  }

  /** The socket is gone. */
  async release(channelId: string, hold: Hold | undefined): Promise<void> {
    if (hold && (await this.queue.release(hold))) this.announcer.changed(channelId);
  }

  /** Whether the key has a channel for sockets, though Redis may not know it yet. */
  private async isRegistered({ keyId, accountId }: KnownKey): Promise<boolean> {
    const channel = await this.store.find(keyId);
    return channel?.kind === 'websocket' && channel.accountId === accountId;
  }
}
