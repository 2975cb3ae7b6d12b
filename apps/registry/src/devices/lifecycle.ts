import { DeviceLifecycle, type DeviceLifecycleChanged } from '@lanyard/contracts';
import { causedBy, Outbox } from '@lanyard/kafka';
import { isoTime } from '@lanyard/service';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';

export interface DeviceRow {
  id: string;
  account_id: string;
  endpoint_name: string | null;
  endpoint_type: string | null;
  lifecycle_status: 'enabled' | 'blocked';
  host_gateway: string | null;
  coap_ack_timeout_ms: number | null;
  coap_block_bytes: DeviceLifecycleChanged['blockBytes'] | null;
  dtls_handshake_timer_ms: number | null;
  operator_suspended: boolean;
  system_suspended: boolean;
  revision: number;
  changed_at: string;
}

export const deviceRowColumns = `id, account_id, endpoint_name, endpoint_type, lifecycle_status, host_gateway, coap_ack_timeout_ms, coap_block_bytes,
  dtls_handshake_timer_ms, operator_suspended, system_suspended, revision,
  ${isoTime('updated_at')} AS changed_at`;

/** What an announcement contains beside the state of the device. */
export interface AnnouncementDetails {
  suspension?: DeviceLifecycleChanged['suspension'];
  /** The author of the change; absent if it was the system. */
  actor?: Author | undefined;
}

/** Whose change it is, in the account of the device. */
export interface Author {
  keyId: string;
  /** The id of its request; undefined if it is no longer known. */
  requestId?: string | undefined;
}

const announcement = (
  change: DeviceLifecycleChanged['change'],
  row: DeviceRow,
  { suspension, actor }: AnnouncementDetails = {},
): DeviceLifecycleChanged => ({
  deviceId: row.id,
  accountId: row.account_id,
  change,
  endpointName: row.endpoint_name ?? '',
  ...(row.endpoint_type && { endpointType: row.endpoint_type }),
  lifecycleStatus: row.lifecycle_status,
  ...(row.coap_ack_timeout_ms !== null && { ackTimeoutMs: row.coap_ack_timeout_ms }),
  ...(row.coap_block_bytes !== null && { blockBytes: row.coap_block_bytes }),
  ...(row.dtls_handshake_timer_ms !== null && { handshakeTimerMs: row.dtls_handshake_timer_ms }),
  ...(row.host_gateway && { hostGateway: row.host_gateway }),
  ...(suspension && { suspension }),
  ...(actor && { actor: { keyId: actor.keyId } }),
  revision: row.revision,
  changedAt: row.changed_at,
});

/** Announces changes of devices on device.lifecycle, in the transaction that makes them. */
@Injectable()
export class Lifecycle {
  constructor(private readonly outbox: Outbox) {}

  async announce(
    manager: EntityManager,
    change: DeviceLifecycleChanged['change'],
    row: DeviceRow,
    details: AnnouncementDetails = {},
  ): Promise<void> {
    causedBy(manager, details.actor?.requestId);
    await this.outbox.append(manager, DeviceLifecycle, announcement(change, row, details));
    // A tombstone is the last message of a key: readers that start later find nothing of the device.
    if (change === 'deleted') await this.outbox.appendTombstone(manager, DeviceLifecycle, row.id);
  }

  /** The same for many devices in one statement, except deletions. `details`: of the announcement of each. */
  async announceAll(
    manager: EntityManager,
    change: Exclude<DeviceLifecycleChanged['change'], 'deleted'>,
    rows: readonly DeviceRow[],
    details: (row: DeviceRow) => AnnouncementDetails,
  ): Promise<void> {
    if (rows.length === 0) return;
    const all = rows.map((row) => details(row));
    const announcements = rows.map((row, n) => announcement(change, row, all[n]));
    await this.outbox.appendAll(manager, DeviceLifecycle, announcements, (n) => {
      const requestId = all[n]?.actor?.requestId;
      return requestId === undefined ? {} : { requestId };
    });
  }
}
