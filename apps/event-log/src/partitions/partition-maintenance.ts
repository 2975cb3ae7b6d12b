import { BackgroundWork } from '@lanyard/service';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { partitionCheckMs } from '../limits.js';
import { Partitions } from './partitions.js';

/** Creates the needed partitions before the first entry arrives, and checks them every hour. */
@Injectable()
export class PartitionMaintenance extends BackgroundWork implements OnModuleInit {
  constructor(private readonly partitions: Partitions) {
    super(partitionCheckMs, 'partitions not kept: will be retried');
  }

  async onModuleInit(): Promise<void> {
    await this.partitions.ensure();
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
