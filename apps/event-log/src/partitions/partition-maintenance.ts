import { CLOCK, type Clock, type Logger, LOGGER, type Timer } from '@lanyard/service';
import {
  Inject,
  Injectable,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
  type OnModuleInit,
} from '@nestjs/common';
import { partitionCheckMs } from '../limits.js';
import { Partitions } from './partitions.js';

/** Creates the needed partitions before the first entry arrives, and checks them every hour. */
@Injectable()
export class PartitionMaintenance implements OnModuleInit, OnApplicationBootstrap, OnApplicationShutdown {
  private timer: Timer | undefined;

  constructor(
    private readonly partitions: Partitions,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  async onModuleInit(): Promise<void> {
    await this.partitions.ensure();
  }

  /** Does not delay the start, because a drop may wait for readers of a partition. */
  onApplicationBootstrap(): void {
    void this.keep();
    this.timer = this.clock.every(partitionCheckMs, () => void this.keep());
  }

  onApplicationShutdown(): void {
    this.timer?.cancel();
  }

  private async keep(): Promise<void> {
    try {
      const kept = await this.partitions.keep();
      if (kept.dropped + kept.removed > 0) this.logger.info(kept, 'expired entries removed');
    } catch (err) {
      this.logger.error({ err }, 'partitions not kept: will be retried');
    }
  }
}
