import { Injectable } from '@nestjs/common';
import type { Channel } from '../db/channel.entity.js';
import { renderCodeOf } from '../db/serialization.js';
import { ChannelRegistry } from '../queue/channel-registry.js';
import type { LockedChannel } from './channel-store.js';

/** Tells Redis what PostgreSQL knows of channels. */
@Injectable()
export class ChannelRegistrar {
  constructor(private readonly registry: ChannelRegistry) {}

  /** Called under the lock of the key. `sameUrl`: retries, and the time since when the callback has been failing, are kept. */
  async register(channel: Channel, locked: LockedChannel, sameUrl = false): Promise<void> {
    const outcome = await this.registry.register({
      ...channel,
      channelId: channel.keyId,
      render: renderCodeOf(channel.serialization),
      eventsMax: channel.serialization.max_chunk_size,
      target: channel.target ?? '',
      createdAtMs: channel.createdAt.getTime(),
      dropped: await locked.reportedDrops(channel),
      keepFailures: sameUrl,
      stopped:
        channel.stopped && channel.stoppedAt
          ? { reason: channel.stopped, sinceMs: channel.stoppedAt.getTime() }
          : undefined,
    });
    if (outcome === 'kept') await this.registerLater(channel, locked, sameUrl);
  }

  /** Redis has this revision, or a later one that PostgreSQL has lost: the channel in PostgreSQL gets the latest revision. */
  private async registerLater(channel: Channel, locked: LockedChannel, sameUrl: boolean): Promise<void> {
    const known = await this.registry.revisionOf(channel.keyId);
    if (BigInt(known) <= BigInt(channel.revision)) return;
    await this.register(await locked.saveAfter(channel, known), locked, sameUrl);
  }

  /** Whether Redis has this revision of the channel. */
  async isRegistered(channel: Channel): Promise<boolean> {
    const [revision] = await this.registry.revisions([channel]);
    return revision === channel.revision;
  }
}
