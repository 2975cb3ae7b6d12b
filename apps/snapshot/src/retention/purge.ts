import type { Clock } from '@lanyard/service';
import type { DataSource } from 'typeorm';
import { connectedSlackMs, purgeBatch, snapshotLifeMonths } from './limits.js';

const purgeSql = `
  WITH gone AS (
    DELETE FROM snapshot.devices WHERE device_id IN (
      SELECT device_id FROM snapshot.devices WHERE last_connected_at < $1 ORDER BY last_connected_at LIMIT $2 FOR UPDATE SKIP LOCKED)
    RETURNING device_id),
  resources AS (DELETE FROM snapshot.resources WHERE device_id IN (SELECT device_id FROM gone)),
  subscriptions AS (DELETE FROM snapshot.subscriptions WHERE device_id IN (SELECT device_id FROM gone))
  SELECT count(*)::int AS n FROM gone`;

/** Removes snapshots of devices that have not been connected for 6 months (spec §2.4 rule 5). Answers how many. */
export const purge = async (database: DataSource, clock: Clock): Promise<number> => {
  // Devices connected up to so much later than their row says.
  const limit = new Date(clock.now() - connectedSlackMs);
  limit.setUTCMonth(limit.getUTCMonth() - snapshotLifeMonths);
  let removed = 0;
  for (;;) {
    const [row]: { n: number }[] = await database.query(purgeSql, [limit.toISOString(), purgeBatch]);
    removed += row?.n ?? 0;
    if ((row?.n ?? 0) < purgeBatch) return removed;
  }
};
