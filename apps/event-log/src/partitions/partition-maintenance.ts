import { BackgroundWork, isLockTimeout } from '@lanyard/service';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { partitionCheckMs } from '../limits.js';
import { Partitions } from './partitions.js';

const failure = 'partitions not kept: will be retried';

/** Creates the needed partitions before the first entry arrives, and checks them every hour. */
@Injectable()
export class PartitionMaintenance extends BackgroundWork implements OnModuleInit {
  constructor(private readonly partitions: Partitions) {
    super(partitionCheckMs, failure);
  }

  /**
   * The service also starts if partitions cannot be created because a backup reads the log: entries without a partition
   * of their week are stored in the default partition.
   */
  async onModuleInit(): Promise<void> {
    try {
      await this.partitions.ensure();
    } catch (err) {
      if (!isLockTimeout(err)) throw err;
      this.logger.warn({ err }, failure);
    }
  }

  /** Does not delay the start, because a drop may wait for readers of a partition. */
  override onApplicationBootstrap(): void {
    super.onApplicationBootstrap();
    this.wake();
  }

  protected async step(): Promise<void> {
    const kept = await this.partitions.keep();
    if (kept.dropped + kept.removed > 0) this.logger.info(kept, 'expired entries removed');
  }
}
