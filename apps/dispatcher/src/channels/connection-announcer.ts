import { type Clock, type Logger, LOGGER } from '@lanyard/service';
import { Inject, Injectable } from '@nestjs/common';
import { ChannelRegistry } from '../queue/channel-registry.js';
import { SharedClock } from '../queue/shared-clock.js';
import { Replicas } from '../replicas/replicas.js';
import { ChannelStore } from '../store/channel-store.js';

/** Time between a failed announcement and the next attempt. */
const retryDelayMs = 1_000;

/**
 * Announces that a channel got or lost its socket. It announces what Redis says under the key's lock, so the last
 * announcement is right whichever replica makes it. An announcement is kept until it is made.
 */
@Injectable()
export class ConnectionAnnouncer {
  private readonly waiting = new Set<string>();
  private working: Promise<void> | undefined;
  private stopping = false;

  constructor(
    private readonly store: ChannelStore,
    private readonly registry: ChannelRegistry,
    @Inject(SharedClock) private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Logger,
    replicas: Replicas,
  ) {
    replicas.onSocketsLost((channelIds) => {
      for (const channelId of channelIds) this.changed(channelId);
    });
  }

  /** Returns at once. */
  changed(channelId: string): void {
    this.waiting.add(channelId);
    this.working ??= this.work();
  }

  /** Announces what is still waiting, if that is possible. */
  async stop(): Promise<void> {
    this.stopping = true;
    await this.working;
  }

  private async work(): Promise<void> {
    for (const channelId of this.waiting) {
      this.waiting.delete(channelId);
      try {
        await this.announce(channelId);
      } catch (err) {
        this.waiting.add(channelId);
        this.logger.warn({ err, channelId }, 'state of a channel not announced yet');
        if (this.stopping) break;
        await this.clock.sleep(retryDelayMs);
      }
    }
    // In the same turn of the event loop in which no channel was left, so that a later change starts the work again.
    this.working = undefined;
  }

  private async announce(channelId: string): Promise<void> {
    await this.store.withLock(channelId, async (locked) => {
      const channel = await locked.find();
      const queue = await this.registry.inspect(channelId);
      if (channel?.kind !== 'websocket' || !queue) return;
      await locked.announce(channel, { status: queue.held ? 'connected' : 'disconnected' });
    });
  }
}
