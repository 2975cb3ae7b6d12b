import { type DeviceContacted, DeviceLifecycle } from '@lanyard/contracts';
import { Outbox } from '@lanyard/kafka';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { deviceRowColumns, type DeviceRow } from '../devices/lifecycle.js';
import { NewDevices } from '../devices/new-devices.js';

// Inserted in one order, so that two replicas never wait for each other. A device's creation is dated when it made contact, by the
// clock of its proxy, which also dates the registration: so the creation is never later than the registration.
const insertSql = `
  INSERT INTO registry.devices (id, account_id, name, endpoint_name, endpoint_type, host_gateway, created_at, updated_at)
  SELECT id, $1, name, name, type, gateway, least(at, clock_timestamp()), least(at, clock_timestamp())
  FROM unnest($2::text[], $3::text[], $4::text[], $5::timestamptz[], $6::text[]) AS c (id, name, type, at, gateway) ORDER BY name
  ON CONFLICT DO NOTHING RETURNING ${deviceRowColumns}`;

// Excludes contacts whose device was renamed since, when another device was given the name.
const takenSql = `
  SELECT c.id FROM unnest($2::text[], $3::text[]) AS c (id, name)
  WHERE EXISTS (SELECT FROM registry.devices d WHERE d.account_id = $1 AND d.endpoint_name = c.name)
    AND NOT EXISTS (SELECT FROM registry.devices d WHERE d.id = c.id)`;

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
    const insert = (): Promise<DeviceRow[]> =>
      manager.query(insertSql, [
        accountId,
        contacts.map((c) => c.deviceId),
        contacts.map((c) => c.endpointName),
        contacts.map((c) => c.endpointType ?? null),
        contacts.map((c) => c.occurredAt),
        contacts.map((c) => c.hostGateway ?? null),
      ]);
    const created = new Set((await this.newDevices.create(manager, accountId, insert)).map((row) => row.id));
    const others = contacts.filter((c) => !created.has(c.deviceId));
    if (others.length > 0) await this.refuseTaken(manager, accountId, others);
  }

  /** The name now belongs to another device: this id is announced as deleted, and the device retries. */
  private async refuseTaken(
    manager: EntityManager,
    accountId: string,
    contacts: readonly DeviceContacted[],
  ): Promise<void> {
    const rows = await manager.query<{ id: string }[]>(takenSql, [
      accountId,
      contacts.map((c) => c.deviceId),
      contacts.map((c) => c.endpointName),
    ]);
    const taken = new Set(rows.map((row) => row.id));
    for (const { deviceId, endpointName, occurredAt } of contacts.filter((c) => taken.has(c.deviceId))) {
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
