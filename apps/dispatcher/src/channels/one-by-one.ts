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
   * If `work` fails for a channel, this is logged as `failure` and the next channel follows, so that a channel that
   * always fails does not stop the others. Rejects when PostgreSQL or Redis does not answer, because `work` would then
   * fail for all channels.
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
