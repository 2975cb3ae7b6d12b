import type {
  DeviceLifecycleChanged,
  DeviceSessionChanged,
  ResourceValueArrived,
  SubscriptionChanged,
} from '@lanyard/contracts';
import type { DataSource } from 'typeorm';

interface Seen {
  deviceId: string;
  accountId: string;
  endpointName: string;
  epoch: number;
  registrationEventAt: string | null;
  connectedAt: string;
}

const latest = (a: string | null, b: string | null): string | null => (a === null ? b : b === null || a > b ? a : b);

/** One row per device of a batch: the highest epoch's name, the latest times. */
const foldSeen = (seen: readonly Seen[]): Seen[] => {
  const held = new Map<string, Seen>();
  for (const s of seen) {
    const other = held.get(s.deviceId);
    if (!other) held.set(s.deviceId, s);
    else
      held.set(s.deviceId, {
        ...(s.epoch >= other.epoch ? s : other),
        registrationEventAt: latest(s.registrationEventAt, other.registrationEventAt),
        connectedAt: latest(s.connectedAt, other.connectedAt) as string,
      });
  }
  return [...held.values()].sort((a, b) => (a.deviceId < b.deviceId ? -1 : 1));
};

const seenSql = `
  INSERT INTO snapshot.devices AS d (device_id, account_id, endpoint_name, session_epoch, registration_event_at, last_connected_at)
  SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::bigint[], $5::timestamptz[], $6::timestamptz[])
  ON CONFLICT (device_id) DO UPDATE SET
    endpoint_name = CASE WHEN excluded.session_epoch >= d.session_epoch THEN excluded.endpoint_name ELSE d.endpoint_name END,
    session_epoch = GREATEST(d.session_epoch, excluded.session_epoch),
    registration_event_at = GREATEST(d.registration_event_at, excluded.registration_event_at),
    last_connected_at = GREATEST(d.last_connected_at, excluded.last_connected_at)`;

const lifecycleSql = `
  INSERT INTO snapshot.devices AS d (device_id, account_id, endpoint_name, last_connected_at, deleted_at)
  VALUES ($1, $2, $3, $4, $5)
  ON CONFLICT (device_id) DO UPDATE SET
    endpoint_name = CASE WHEN excluded.endpoint_name <> '' THEN excluded.endpoint_name ELSE d.endpoint_name END,
    deleted_at = excluded.deleted_at`;

const subscriptionSql = `
  INSERT INTO snapshot.subscriptions AS s (device_id, key_id, path, status, changed_at)
  VALUES ($1, $2, $3, $4, $5)
  ON CONFLICT (device_id, key_id, path) DO UPDATE SET status = excluded.status, changed_at = excluded.changed_at
  WHERE s.changed_at <= excluded.changed_at`;

/** What the snapshot knows of devices as a whole, from the facts of other services. */
export class DeviceWriter {
  constructor(private readonly database: DataSource) {}

  /** A registration, an update or its end: the device was connected then. */
  async sessions(facts: readonly DeviceSessionChanged[]): Promise<void> {
    await this.seen(facts.map((f) => ({ ...f, registrationEventAt: f.occurredAt, connectedAt: f.occurredAt })));
  }

  async values(facts: readonly ResourceValueArrived[]): Promise<void> {
    await this.seen(facts.map((f) => ({ ...f, registrationEventAt: null, connectedAt: f.observedAt })));
  }

  async lifecycle(facts: readonly DeviceLifecycleChanged[]): Promise<void> {
    for (const f of facts) {
      const deletedAt = f.change === 'deleted' ? f.changedAt : null;
      await this.database.query(lifecycleSql, [f.deviceId, f.accountId, f.endpointName, f.changedAt, deletedAt]);
    }
  }

  async subscriptions(facts: readonly SubscriptionChanged[]): Promise<void> {
    for (const f of facts)
      await this.database.query(subscriptionSql, [f.deviceId, f.keyId, f.path, f.status, f.changedAt]);
  }

  private async seen(seen: readonly Seen[]): Promise<void> {
    const rows = foldSeen(seen);
    if (rows.length === 0) return;
    await this.database.query(seenSql, [
      rows.map((r) => r.deviceId),
      rows.map((r) => r.accountId),
      rows.map((r) => r.endpointName),
      rows.map((r) => r.epoch),
      rows.map((r) => r.registrationEventAt),
      rows.map((r) => r.connectedAt),
    ]);
  }
}
