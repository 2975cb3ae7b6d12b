import { type DeviceContacted, DeviceLifecycle } from '@lanyard/contracts';
import { Outbox } from '@lanyard/kafka';
import { columnsOf, returning } from '@lanyard/service';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { deviceRowColumns, type DeviceRow } from '../devices/lifecycle.js';
import { NewDevices } from '../devices/new-devices.js';

// Inserted in one order, so that two replicas never wait for each other. A device's creation is dated when it made contact, by the
// clock of its proxy, which also dates the registration: so the creation is never later than the registration.
const insertSql = `
  INSERT INTO registry.devices (id, account_id, name, endpoint_name, endpoint_type, host_gateway, created_at, updated_at)
  SELECT id, $1, name, name, type, gateway, least(at, clock_timestamp()), least(at, clock_timestamp())
  FROM unnest($2::text[], $3::text[], $4::text[], $5::timestamptz[], $6::text[]) AS c (id, name, type, at, gateway)
  WHERE NOT EXISTS (SELECT FROM registry.deleted_devices g WHERE g.id = c.id) ORDER BY name
  ON CONFLICT DO NOTHING RETURNING ${deviceRowColumns}`;

// The insertion waits for a deletion of the same device that is not committed, but does not see the id that the
// deletion adds to deleted_devices. This statement begins later, sees the id, and deletes the device again.
const deletedSql = `
  DELETE FROM registry.devices d USING registry.deleted_devices g WHERE g.id = d.id AND d.id = ANY($1) RETURNING d.id`;

// A contact is refused if its id was deleted, or if a device has its name. One whose device exists is never refused:
// this device may have been renamed since, and another one may have been given the name.
const refusedSql = `
  SELECT c.id, g.id IS NOT NULL AS was_deleted FROM unnest($2::text[], $3::text[]) AS c (id, name)
  LEFT JOIN registry.deleted_devices g ON g.id = c.id
  WHERE (g.id IS NOT NULL OR EXISTS (SELECT FROM registry.devices d WHERE d.account_id = $1 AND d.endpoint_name = c.name))
    AND NOT EXISTS (SELECT FROM registry.devices d WHERE d.id = c.id)`;

// A contact that is read again must not create a device when the name is free by then.
const rememberSql = `
  INSERT INTO registry.deleted_devices (id) SELECT unnest($1::text[]) ORDER BY 1 ON CONFLICT DO NOTHING`;

const byAccount = (contacts: readonly DeviceContacted[]): Map<string, DeviceContacted[]> => {
  const accounts = new Map<string, Map<string, DeviceContacted>>();
  for (const contact of contacts) {
    const devices = accounts.get(contact.accountId) ?? new Map<string, DeviceContacted>();
    accounts.set(contact.accountId, devices.set(contact.deviceId, contact));
  }
  return new Map([...accounts].map(([accountId, devices]) => [accountId, [...devices.values()]]));
};

/** Creates devices for new endpoints. A batch may be repeated. */
@Injectable()
export class ContactWriter {
  constructor(
    private readonly database: DataSource,
    private readonly newDevices: NewDevices,
    private readonly outbox: Outbox,
  ) {}

  /** Contacts of one account share a transaction, because a new fleet connects all at once. */
  async apply(contacts: readonly DeviceContacted[]): Promise<void> {
    for (const [accountId, devices] of byAccount(contacts))
      await this.database.transaction((manager) => this.create(manager, accountId, devices));
  }

  private async create(manager: EntityManager, accountId: string, contacts: readonly DeviceContacted[]): Promise<void> {
    const insert = async (): Promise<DeviceRow[]> => {
      const given = contacts.map((c) => [c.deviceId, c.endpointName, c.endpointType, c.occurredAt, c.hostGateway]);
      const rows = await manager.query<DeviceRow[]>(insertSql, [accountId, ...columnsOf(given)]);
      if (rows.length === 0) return rows;
      const deleted = await returning<{ id: string }>(manager, deletedSql, [rows.map(({ id }) => id)]);
      const deletedIds = new Set(deleted.map(({ id }) => id));
      return rows.filter(({ id }) => !deletedIds.has(id));
    };
    const created = new Set((await this.newDevices.create(manager, accountId, insert)).map((row) => row.id));
    const others = contacts.filter((c) => !created.has(c.deviceId));
    if (others.length > 0) await this.refuse(manager, accountId, others);
  }

  /**
   * The id of a contact whose name belongs to another device is announced as deleted, so that the device registers
   * again, as the existing one. For an id that was deleted before, a tombstone is enough: its deletion was announced.
   */
  private async refuse(manager: EntityManager, accountId: string, contacts: readonly DeviceContacted[]): Promise<void> {
    const given = columnsOf(contacts.map((c) => [c.deviceId, c.endpointName]));
    const rows = await manager.query<{ id: string; was_deleted: boolean }[]>(refusedSql, [accountId, ...given]);
    const taken = rows.filter((row) => !row.was_deleted).map(({ id }) => id);
    if (taken.length > 0) await manager.query(rememberSql, [taken]);
    const refused = new Map(rows.map((row) => [row.id, row]));
    for (const { deviceId, endpointName, occurredAt } of contacts) {
      const row = refused.get(deviceId);
      if (!row) continue;
      if (!row.was_deleted)
        await this.outbox.append(manager, DeviceLifecycle, {
          deviceId,
          accountId,
          change: 'deleted',
          endpointName,
          lifecycleStatus: 'enabled',
          revision: 0,
          changedAt: occurredAt,
        });
      await this.outbox.appendTombstone(manager, DeviceLifecycle, deviceId);
    }
  }
}
