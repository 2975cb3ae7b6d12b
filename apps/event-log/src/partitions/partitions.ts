import { affected, CLOCK, type Clock, CONFIG, TimePartitions } from '@lanyard/service';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import type { EventLogConfig } from '../config.js';
import { dayMs, defaultPartitionBatch, weekMs, weeksAhead } from '../limits.js';

/** Rows that no partition covers. */
const defaultPartition = 'event_log.device_events_other';

/** Moves the rows of a week that arrived before its partition was created from the default partition into it. */
const fill = async (manager: EntityManager, table: string, bounds: readonly [string, string]): Promise<void> => {
  await manager.query(`LOCK TABLE ${defaultPartition} IN ACCESS EXCLUSIVE MODE`);
  await manager.query(
    `WITH moved AS (DELETE FROM ${defaultPartition} WHERE date_time >= $1 AND date_time < $2 RETURNING *)
     INSERT INTO ${table} SELECT * FROM moved`,
    [...bounds],
  );
};

@Injectable()
export class Partitions {
  private readonly weeks: TimePartitions;

  constructor(
    private readonly database: DataSource,
    @Inject(CLOCK) clock: Clock,
    @Inject(CONFIG) { retentionDays }: Pick<EventLogConfig, 'retentionDays'>,
  ) {
    this.weeks = new TimePartitions(database, clock, {
      schema: 'event_log',
      table: 'device_events',
      periodMs: weekMs,
      keptMs: retentionDays * dayMs,
      aheadMs: weeksAhead * weekMs,
      fill,
    });
  }

  /** Creates missing partitions, from the oldest kept entry to `weeksAhead`, and drops expired ones. */
  async keep(): Promise<{ made: number; dropped: number; removed: number }> {
    const made = await this.ensure();
    const dropped = await this.weeks.dropExpired();
    return { made, dropped, removed: await this.removeExpiredFromDefault() };
  }

  ensure(): Promise<number> {
    return this.weeks.ensure();
  }

  /** Deletes expired entries outside all partitions: those from the far future expire by their time of arrival. */
  private async removeExpiredFromDefault(): Promise<number> {
    const keptFrom = new Date(await this.weeks.keptFromMs()).toISOString();
    let removed = 0;
    for (;;) {
      const count = await affected(
        this.database,
        `DELETE FROM ${defaultPartition} WHERE ctid IN (SELECT ctid FROM ${defaultPartition} WHERE date_time < $1 OR created_at < $1 LIMIT ${defaultPartitionBatch})`,
        [keptFrom],
      );
      removed += count;
      if (count < defaultPartitionBatch) return removed;
    }
  }
}
