import {
  type DeviceLifecycleChanged,
  type DeviceSessionChanged,
  orderOfLifecycle,
  type ResourceValueArrived,
  type SubscriptionChanged,
} from '@lanyard/contracts';
import { lastOfDevices } from '@lanyard/kafka';
import type { ObjectVersions } from '@lanyard/lwm2m';
import { columnsOf, PreparedStatement, sharedWrite } from '@lanyard/service';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { isNotDeleted } from '../db/deleted-devices.js';
import { foldByKey } from '../fold-by-key.js';
import { connectedSlackMs } from '../limits.js';
import { RecentlySeen } from './recently-seen.js';

/** Devices whose last write is remembered, about 100 bytes each. */
const devicesRememberedMax = 100_000;

interface Seen {
  deviceId: string;
  accountId: string;
  endpointName: string;
  epoch: number;
  registrationEventAt: string | null;
  /** null: the fact does not show that the device was connected. */
  connectedAt: string | null;
  /** Object versions as JSON; null if the fact names none. */
  versions: string | null;
}

const latest = (a: string | null, b: string | null): string | null => (a === null ? b : b === null || a > b ? a : b);

/** One row per device of a batch: the highest epoch's name, the latest times. */
const foldSeen = (seen: readonly Seen[]): Seen[] =>
  foldByKey(
    seen,
    ({ deviceId }) => deviceId,
    (held, next) => {
      const [first, second] = next.epoch >= held.epoch ? [next, held] : [held, next];
      return {
        ...first,
        registrationEventAt: latest(held.registrationEventAt, next.registrationEventAt),
        connectedAt: latest(held.connectedAt, next.connectedAt),
        versions: first.versions ?? second.versions,
      };
    },
  );

// This statement and the next one lock rows in the order of their ids, so that they never deadlock.
// A value updates the last connection only if that was an hour ago or more: the purge allows for it.
// A registration that expires leaves it as it is; its time stands in where there is no row yet.
// The directory knows the name: a device that was renamed keeps reporting the former one until it registers again.
const recordSeen = new PreparedStatement<never>(`
  INSERT INTO snapshot.devices AS d (device_id, account_id, endpoint_name, session_epoch, registration_event_at, last_connected_at, object_versions)
  SELECT s.device_id, s.account_id, s.endpoint_name, s.epoch, s.event_at,
    COALESCE(s.connected_at, (SELECT k.last_connected_at FROM snapshot.devices k WHERE k.device_id = s.device_id), s.event_at), s.versions
  FROM unnest($1::text[], $2::text[], $3::text[], $4::bigint[], $5::timestamptz[], $6::timestamptz[], $7::jsonb[])
    AS s (device_id, account_id, endpoint_name, epoch, event_at, connected_at, versions) ORDER BY 1
  ON CONFLICT (device_id) DO UPDATE SET
    endpoint_name = CASE WHEN excluded.session_epoch >= d.session_epoch
      AND (d.lifecycle_revision < 0 OR d.endpoint_name = '') THEN excluded.endpoint_name ELSE d.endpoint_name END,
    object_versions = CASE WHEN excluded.session_epoch >= d.session_epoch AND excluded.object_versions IS NOT NULL THEN excluded.object_versions ELSE d.object_versions END,
    session_epoch = GREATEST(d.session_epoch, excluded.session_epoch),
    registration_event_at = GREATEST(d.registration_event_at, excluded.registration_event_at),
    last_connected_at = GREATEST(d.last_connected_at, excluded.last_connected_at)
  WHERE excluded.session_epoch > d.session_epoch OR excluded.registration_event_at IS NOT NULL
    OR excluded.last_connected_at > d.last_connected_at + interval '${connectedSlackMs} milliseconds'`);

// A deletion is stored whatever its revision, as `orderOfLifecycle` has it.
const recordLifecycle = new PreparedStatement<never>(`
  INSERT INTO snapshot.devices AS d (device_id, account_id, endpoint_name, last_connected_at, deleted_at, lifecycle_revision)
  SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::timestamptz[], $5::timestamptz[], $6::bigint[]) ORDER BY 1
  ON CONFLICT (device_id) DO UPDATE SET
    endpoint_name = CASE WHEN excluded.endpoint_name <> '' THEN excluded.endpoint_name ELSE d.endpoint_name END,
    deleted_at = excluded.deleted_at, lifecycle_revision = excluded.lifecycle_revision
  WHERE d.lifecycle_revision < excluded.lifecycle_revision OR (d.deleted_at IS NULL AND excluded.deleted_at IS NOT NULL)`);

const subscriptionSql = `
  INSERT INTO snapshot.subscriptions AS s (device_id, key_id, path, status, changed_at, lost_in)
  SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::timestamptz[], $6::text[])
    AS v (device_id, key_id, path, status, changed_at, lost_in) WHERE ${isNotDeleted('v.device_id')}
  ON CONFLICT (device_id, key_id, path) DO UPDATE SET status = excluded.status, changed_at = excluded.changed_at, lost_in = excluded.lost_in
  WHERE s.changed_at <= excluded.changed_at`;

/** Writes what the facts of other services say about devices and their subscriptions, with one statement per batch. */
@Injectable()
export class DeviceWriter {
  private readonly recent = new RecentlySeen(devicesRememberedMax);
  /** Records registrations and their ends. When a registration expires, the device was not connected. */
  readonly applySessions = sharedWrite((facts: readonly DeviceSessionChanged[]) => this.storeSessions(facts));
  readonly applyLifecycle = sharedWrite((facts: readonly DeviceLifecycleChanged[]) => this.storeLifecycle(facts));

  constructor(private readonly database: DataSource) {}

  private async storeSessions(facts: readonly DeviceSessionChanged[]): Promise<void> {
    await this.storeSeen(
      facts.map((f) => ({
        registrationEventAt: f.occurredAt,
        connectedAt: f.change === 'expired' ? null : f.occurredAt,
        versions: f.item.resources === undefined ? null : JSON.stringify(f.objectVersions ?? {}),
        ...f,
      })),
    );
  }

  /**
   * Records that devices were connected when they reported values. No write is needed for a device that is stored with
   * this session and with a connection at most an hour older.
   */
  async applyValues(facts: readonly ResourceValueArrived[]): Promise<void> {
    const unrecorded = facts.filter((f) => !this.recent.covers(f.deviceId, f.epoch, Date.parse(f.observedAt)));
    await this.storeSeen(
      unrecorded.map((f) => ({ registrationEventAt: null, connectedAt: f.observedAt, versions: null, ...f })),
    );
  }

  /** The object versions of those devices that name any. */
  async versionsOf(deviceIds: readonly string[]): Promise<ReadonlyMap<string, ObjectVersions>> {
    if (deviceIds.length === 0) return new Map();
    const rows: { device_id: string; object_versions: ObjectVersions }[] = await this.database.query(
      `SELECT device_id, object_versions FROM snapshot.devices WHERE device_id = ANY($1) AND object_versions <> '{}'`,
      [[...new Set(deviceIds)]],
    );
    return new Map(rows.map((row) => [row.device_id, row.object_versions]));
  }

  private async storeLifecycle(facts: readonly DeviceLifecycleChanged[]): Promise<void> {
    const last = lastOfDevices(facts, orderOfLifecycle);
    const rows = last.map(({ deviceId, accountId, endpointName, change, changedAt, revision }) => {
      const deletedAt = change === 'deleted' ? changedAt : null;
      return [deviceId, accountId, endpointName, changedAt, deletedAt, revision];
    });
    await recordLifecycle.run(this.database.manager, columnsOf(rows));
  }

  async applySubscriptions(facts: readonly SubscriptionChanged[]): Promise<void> {
    const last = foldByKey(
      facts,
      (f) => `${f.deviceId} ${f.keyId} ${f.path}`,
      (held, next) => (Date.parse(next.changedAt) < Date.parse(held.changedAt) ? held : next),
    );
    if (last.length === 0) return;
    const rows = last.map((f) => {
      const isLost = f.status === 'lost' && f.byDevice === true && f.origin === 'resource';
      return [f.deviceId, f.keyId, f.path, f.status, f.changedAt, isLost ? f.accountId : null];
    });
    await this.database.query(subscriptionSql, columnsOf(rows));
  }

  private async storeSeen(seen: readonly Seen[]): Promise<void> {
    const rows = foldSeen(seen);
    if (rows.length === 0) return;
    await recordSeen.run(this.database.manager, [
      rows.map((r) => r.deviceId),
      rows.map((r) => r.accountId),
      rows.map((r) => r.endpointName),
      rows.map((r) => r.epoch),
      rows.map((r) => r.registrationEventAt),
      rows.map((r) => r.connectedAt),
      rows.map((r) => r.versions),
    ]);
    for (const { deviceId, epoch, connectedAt } of rows)
      if (connectedAt !== null) this.recent.recordSeen(deviceId, epoch, Date.parse(connectedAt));
  }
}
