import { type Logger, LOGGER } from '@lanyard/service';
import { Inject, Injectable } from '@nestjs/common';
import type { Channel } from '../db/channel.entity.js';
import { ChannelRegistry } from '../queue/channel-registry.js';
import { isFull } from '../queue/redis-link.js';
import { ChannelRegistrar } from '../store/channel-registrar.js';
import { ChannelStore } from '../store/channel-store.js';
import { ChannelEnds } from './channel-ends.js';
import { CallbackHealth } from './callback-health.js';

const comparedAtOnce = 500;

/**
 * Makes Redis agree with PostgreSQL: after a crash between the two, after Redis lost something, and after a key was
 * deleted, reset or revoked while no replica was running.
 */
@Injectable()
export class Repair {
  constructor(
    private readonly store: ChannelStore,
    private readonly registry: ChannelRegistry,
    private readonly registrar: ChannelRegistrar,
    private readonly ends: ChannelEnds,
    private readonly health: CallbackHealth,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /**
   * False when Redis is full and does not take a channel. Even then, the other channels are compared, and those that
   * PostgreSQL does not have are removed, which makes room.
   */
  async run(): Promise<boolean> {
    let refused = 0;
    for await (const page of this.store.pages()) {
      const refusedOfPage = await this.registerMissing(page);
      refused += refusedOfPage;
    }
    for await (const known of this.registry.all())
      for (let n = 0; n < known.length; n += comparedAtOnce)
        await this.removeUnknown(known.slice(n, n + comparedAtOnce));
    if (refused > 0) this.logger.warn({ channels: refused }, 'channels not registered: Redis is full');
    return refused === 0;
  }

  /** Returns how many of them a full Redis did not take. */
  private async registerMissing(page: readonly Channel[]): Promise<number> {
    const revisions = await this.registry.revisions(page);
    let refused = 0;
    for (const [n, channel] of page.entries()) {
      try {
        await this.correct(channel, revisions[n]);
      } catch (error) {
        if (!isFull(error)) throw error;
        refused++;
      }
    }
    return refused;
  }

  /** `known`: the revision that Redis has. */
  private async correct(channel: Channel, known: string | undefined): Promise<void> {
    const { keyId, revision } = channel;
    if (this.health.isDeleted(keyId)) await this.ends.endOfDeletedKey(keyId);
    else if (!this.health.isCurrent(channel)) await this.health.update(keyId);
    else if (known !== revision) await this.registerAgain(keyId);
  }

  private async registerAgain(keyId: string): Promise<void> {
    await this.store.withLock(keyId, async (locked) => {
      const channel = await locked.find();
      if (channel) await this.registrar.register(channel, locked);
    });
    this.logger.warn({ channelId: keyId }, 'channel registered in Redis again');
  }

  private async removeUnknown(known: readonly string[]): Promise<void> {
    const existing = await this.store.existing(known);
    for (const channelId of known) {
      if (existing.has(channelId)) continue;
      await this.store.withLock(channelId, async (locked) => {
        if (!(await locked.find())) await this.ends.removeQueue(channelId, locked);
      });
    }
  }
}
