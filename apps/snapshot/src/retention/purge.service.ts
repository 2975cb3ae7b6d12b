import { BackgroundWork } from '@lanyard/service';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { connectedLagMs, purgeBatch, purgePeriodMs, snapshotLifeMonths } from '../limits.js';

/** By the clock of this replica, or by that of PostgreSQL if it is earlier: a fast clock must not remove what is kept. */
const now = 'LEAST($1::timestamptz, now())';

// The same day so many months earlier, or the last day of that month if it has no such day. The stored time of the last
// connection may lag by `connectedLagMs`.
const limit = `((${now} - interval '${connectedLagMs} milliseconds') AT TIME ZONE 'UTC' - interval '${snapshotLifeMonths} months') AT TIME ZONE 'UTC'`;

// A device that is still in the directory keeps an empty row, whose time starts again for later desired values.
const purgeSql = `
  WITH due AS MATERIALIZED (
    SELECT device_id, deleted_at IS NULL AND lifecycle_revision >= 0 AS exists FROM snapshot.devices
    WHERE last_connected_at < ${limit} ORDER BY last_connected_at LIMIT ${purgeBatch} FOR UPDATE SKIP LOCKED),
  gone AS (DELETE FROM snapshot.devices d USING due WHERE d.device_id = due.device_id AND NOT due.exists),
  emptied AS (
    UPDATE snapshot.devices d SET last_connected_at = ${now}, registration_event_at = NULL
    FROM due WHERE d.device_id = due.device_id AND due.exists),
  resources AS (DELETE FROM snapshot.resources WHERE device_id IN (SELECT device_id FROM due)),
  subscriptions AS (DELETE FROM snapshot.subscriptions WHERE device_id IN (SELECT device_id FROM due))
  SELECT count(*)::int AS n FROM due`;

/** Removes the snapshots of devices that have not been connected for 6 months (spec §2.4 rule 5), every 6 hours. */
@Injectable()
export class PurgeService extends BackgroundWork {
  constructor(private readonly database: DataSource) {
    super(purgePeriodMs, 'purge failed: will be retried');
  }

  protected async step(): Promise<void> {
    const removed = await this.purge();
    if (removed > 0) this.logger.info({ removed }, 'expired snapshots removed');
  }

  /** Returns how many were removed. */
  async purge(): Promise<number> {
    const at = new Date(this.clock.now()).toISOString();
    let removed = 0;
    for (;;) {
      const [row]: { n: number }[] = await this.database.query(purgeSql, [at]);
      removed += row?.n ?? 0;
      if ((row?.n ?? 0) < purgeBatch) return removed;
    }
  }
}
