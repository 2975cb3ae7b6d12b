import { type Logger, LOGGER } from '@lanyard/service';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { RedisLinks } from '../queue/redis-links.js';

/** Background work on many channels, one after another. */
@Injectable()
export class OneByOne {
  constructor(
    private readonly database: DataSource,
    private readonly links: RedisLinks,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /**
   * What fails for one channel is logged as `failure`. It may fail there each time, so those behind it have their turn. Rejects
   * where PostgreSQL or Redis does not answer: then it fails for all.
   */
  async run<T extends { channelId: string }>(
    channels: readonly T[],
    failure: string,
    work: (channel: T) => Promise<unknown>,
  ): Promise<void> {
    for (const channel of channels) {
      try {
        await work(channel);
      } catch (err) {
        await this.database.query('SELECT 1');
        await this.links.check();
        this.logger.warn({ err, channelId: channel.channelId }, failure);
      }
    }
  }
}
