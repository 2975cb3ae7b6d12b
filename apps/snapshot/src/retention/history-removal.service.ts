import { BackgroundWork } from '@lanyard/service';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { branches, hoursToMs } from '../history/branches.js';
import {
  historyRemovalBatch,
  historyRemovalDelayMs,
  historyRemovalPeriodMs,
  historyRemovalSliceMs,
} from '../limits.js';

const dueSql = `
  SELECT device_id FROM snapshot.devices WHERE deleted_at < $1 AND NOT history_removed ORDER BY deleted_at LIMIT $2`;

const removalSql = `
  DELETE FROM snapshot.value_history h USING snapshot.resources r
  WHERE r.device_id = ANY($1) AND h.resource_id = r.id AND h.at >= $2 AND h.at < $3`;

// This runs after the removal of the history, which is found by the ids of the resources.
const endSql = `
  WITH gone AS (
    UPDATE snapshot.devices SET history_removed = true WHERE device_id = ANY($1) AND deleted_at IS NOT NULL
    RETURNING device_id),
  resources AS (DELETE FROM snapshot.resources WHERE device_id IN (SELECT device_id FROM gone))
  DELETE FROM snapshot.subscriptions WHERE device_id IN (SELECT device_id FROM gone)`;

const keptMs = Math.max(...branches.map(({ keptHours }) => hoursToMs(keptHours)));

/**
 * Removes the snapshots of deleted devices, which nothing shows any more, and before that their history: by the index, a few
 * devices and hours at a time, because a device may have millions of values. Two replicas may do the same.
 */
@Injectable()
export class HistoryRemovalService extends BackgroundWork {
  constructor(private readonly database: DataSource) {
    super(historyRemovalPeriodMs, 'snapshots of deleted devices not removed: will be retried');
  }

  protected async step(): Promise<boolean> {
    return (await this.remove()) === historyRemovalBatch;
  }

  /** Returns the number of devices whose snapshot was removed. */
  async remove(): Promise<number> {
    const { database } = this;
    const nowMs = this.clock.now();
    const before = new Date(nowMs - historyRemovalDelayMs).toISOString();
    const due: { device_id: string }[] = await database.query(dueSql, [before, historyRemovalBatch]);
    if (due.length === 0) return 0;
    const deviceIds = due.map((row) => row.device_id);
    let from = '-infinity';
    for (let toMs = nowMs - keptMs; toMs < nowMs; toMs += historyRemovalSliceMs) {
      const to = new Date(toMs).toISOString();
      await database.query(removalSql, [deviceIds, from, to]);
      from = to;
    }
    await database.query(removalSql, [deviceIds, from, 'infinity']);
    await database.query(endSql, [deviceIds]);
    return due.length;
  }
}
