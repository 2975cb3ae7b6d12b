import { BackgroundWork } from '@lanyard/service';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { historyRemovalBatch, historyRemovalDelayMs, historyRemovalPeriodMs } from '../limits.js';

const removalSql = `
  WITH due AS MATERIALIZED (
    SELECT device_id FROM snapshot.devices WHERE deleted_at < $1 AND NOT history_removed
    ORDER BY deleted_at LIMIT $2 FOR UPDATE SKIP LOCKED),
  removed AS (
    DELETE FROM snapshot.value_history h USING snapshot.resources r
    WHERE h.resource_id = r.id AND r.device_id IN (SELECT device_id FROM due)),
  marked AS (UPDATE snapshot.devices SET history_removed = true WHERE device_id IN (SELECT device_id FROM due))
  SELECT count(*)::int AS n FROM due`;

/** Removes the history of deleted devices, which nothing shows any more: by the index, a few devices at a time. */
@Injectable()
export class HistoryRemoval extends BackgroundWork {
  constructor(private readonly database: DataSource) {
    super(historyRemovalPeriodMs, 'history of deleted devices not removed: will be retried');
  }

  protected async step(): Promise<boolean> {
    return (await this.remove()) === historyRemovalBatch;
  }

  /** Returns for how many devices. */
  async remove(): Promise<number> {
    const before = new Date(this.clock.now() - historyRemovalDelayMs).toISOString();
    const [row]: { n: number }[] = await this.database.query(removalSql, [before, historyRemovalBatch]);
    return row?.n ?? 0;
  }
}
