import { BackgroundWork, CLOCK, type Clock, type PartitionedTable, TimePartitions } from '@lanyard/service';
import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { branches, hoursToMs } from '../history/branches.js';
import { partitionCheckMs } from '../limits.js';
import { resolutions } from '../statistics/counts.js';

const tables: Pick<PartitionedTable, 'table' | 'periodMs' | 'keptMs'>[] = [
  ...branches.map(({ keptHours, periodMs }) => ({
    table: `value_history_${keptHours}h`,
    periodMs,
    keptMs: hoursToMs(keptHours),
  })),
  ...resolutions.map(({ stepSeconds, periodMs, keptMs }) => ({
    table: `statistics_${stepSeconds}s`,
    periodMs,
    keptMs,
  })),
];

/** Creates partitions before the first fact arrives, and drops expired ones. */
@Injectable()
export class PartitionMaintenance extends BackgroundWork implements OnModuleInit {
  private readonly partitions: readonly TimePartitions[];

  constructor(database: DataSource, @Inject(CLOCK) clock: Clock) {
    super(partitionCheckMs, 'partitions not kept: will be retried');
    this.partitions = tables.map(
      (table) => new TimePartitions(database, clock, { schema: 'snapshot', ...table, aheadMs: table.periodMs }),
    );
  }

  onModuleInit(): Promise<void> {
    return this.ensure();
  }

  /** Does not delay the start, because a drop may wait for readers of a partition. */
  override onApplicationBootstrap(): void {
    super.onApplicationBootstrap();
    this.wake();
  }

  protected step(): Promise<void> {
    return this.keep();
  }

  async keep(): Promise<void> {
    // Creates all partitions first, because writes need them: a drop fails while its table is read for a long time.
    await this.ensure();
    for (const table of this.partitions) await table.dropExpired();
  }

  private async ensure(): Promise<void> {
    for (const table of this.partitions) await table.ensure();
  }
}
