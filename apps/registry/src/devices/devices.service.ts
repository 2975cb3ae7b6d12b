import type { Actor } from '@lanyard/contracts';
import { AuditTrail, causedBy, Outbox } from '@lanyard/kafka';
import {
  type AccessScope,
  dividedChange,
  hasRow,
  isId,
  isoTime,
  type JsonText,
  mustMatch,
  newId,
  refuseOtherValues,
  returning,
  violatedIndex,
} from '@lanyard/service';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { DeviceNotFound, DeviceSuspended, EndpointNameTaken } from '../errors.js';
import { changeable, type DeviceChanges, type NewDevice } from './device-fields.js';
import { deviceGroups, deviceRecord, withGroups } from './device-record.js';
import { DeviceTexts } from './device-texts.js';
import { etagColumn } from '../records/etag.js';
import { DeviceQuotas } from '../quotas/device-quotas.js';
import { NewDevices } from './new-devices.js';
import { type DeviceRow, deviceRowColumns, Lifecycle } from './lifecycle.js';
import { withdrawCredentials, withdrawProfile } from './withdrawals.js';

/** Runs a write; throws EndpointNameTaken if the name is in use. */
export const refusingTakenNames = async <T>(write: () => Promise<T>): Promise<T> => {
  try {
    return await write();
  } catch (error) {
    if (violatedIndex(error) === 'devices_endpoint_name') throw new EndpointNameTaken();
    throw error;
  }
};

/** Fields that are never null: what null makes of them. */
const cleared: Record<string, string> = { custom_attributes: '{}', description: '', mechanism_url: '' };

const assignments = (fields: Record<string, unknown>): [string, unknown][] =>
  Object.entries(fields).flatMap(([name, value]): [string, unknown][] => {
    if (value === undefined) return [];
    if (value === null) return [[name, cleared[name] ?? null]];
    return [[name, typeof value === 'object' ? JSON.stringify(value) : value]];
  });

/** SQL of the names of the fields that have another value; `from`: number of the first value's parameter. */
const differing = (fields: readonly [string, unknown][], from: number): string =>
  `array_remove(ARRAY[${fields
    .map(([name], i) => `CASE WHEN ${name} IS DISTINCT FROM $${from + i} THEN '${name}' END`)
    .join(', ')}]::text[], NULL)`;

interface DeletedRow extends DeviceRow {
  deleted_at: string;
}

/** The deletion is dated by PostgreSQL, as the changes before it are. */
const deleteSql = `
  DELETE FROM registry.devices WHERE id = $1
  RETURNING ${deviceRowColumns}, ${isoTime('clock_timestamp()')} AS deleted_at`;

/** Options of a change or a deletion. */
export interface ChangeOptions {
  /** The `If-Match` header: the etag that the record must have. */
  ifMatch?: string | undefined;
  /** The author; undefined if it is the system. */
  actor?: Actor | undefined;
}

/** Devices of the directory, read as the API shows them. Every change is announced in its own transaction. */
@Injectable()
export class DevicesService {
  constructor(
    private readonly database: DataSource,
    private readonly texts: DeviceTexts,
    private readonly lifecycle: Lifecycle,
    private readonly outbox: Outbox,
    private readonly quotas: DeviceQuotas,
    private readonly newDevices: NewDevices,
    private readonly audit: AuditTrail,
  ) {}

  /** Throws DeviceNotFound, also for a device of another account and for one that the caller may not see. */
  async get({ accountId, deviceGroups }: AccessScope, id: string): Promise<JsonText> {
    if (deviceGroups) await this.mustBeIn(deviceGroups, id);
    const device = isId(id) ? await this.texts.get(accountId, id) : undefined;
    if (!device) throw new DeviceNotFound();
    return device;
  }

  /** Throws DeviceNotFound unless the device is in one of the groups. */
  async mustBeIn(deviceGroups: readonly string[], id: string): Promise<void> {
    const sql = 'SELECT FROM registry.group_members WHERE device_id = $1 AND group_id = ANY($2)';
    if (!(await hasRow(this.database, sql, [id, deviceGroups]))) throw new DeviceNotFound();
  }

  /** Throws EndpointNameTaken, DeviceLimitExceeded. */
  async create(accountId: string, device: NewDevice, actor?: Actor): Promise<JsonText> {
    const id = newId();
    const fields = assignments(device);
    const columns = ['id', 'account_id', ...fields.map(([name]) => name)];
    const values = [id, accountId, ...fields.map(([, value]) => value)];
    const add = async (manager: EntityManager): Promise<void> => {
      const insert = async (): Promise<DeviceRow[]> => {
        await this.quotas.mustHaveRoom(manager, accountId);
        return manager.query(
          `INSERT INTO registry.devices (${columns.join(', ')}) VALUES (${values.map((_, i) => `$${i + 1}`).join(', ')}) RETURNING ${deviceRowColumns}`,
          values,
        );
      };
      await this.newDevices.create(manager, accountId, insert, actor);
    };
    await refusingTakenNames(() => this.quotas.runInTurn(accountId, () => this.database.transaction(add)));
    return this.get({ accountId }, id);
  }

  /**
   * Changes the given fields. Throws DeviceNotFound, DeviceSuspended for a blocked device, EtagDiffers for another
   * version, EndpointNameTaken, and ValidationFailed for a changed read-only field.
   */
  async change(
    accountId: string,
    id: string,
    body: DeviceChanges,
    { ifMatch, actor }: ChangeOptions = {},
  ): Promise<JsonText> {
    const { changes, unchanged } = dividedChange(body, changeable);
    const fields = assignments(changes);
    await refusingTakenNames(() =>
      this.database.transaction(async (manager) => {
        const [current] = await manager.query<{ lifecycle_status: string; etag: string; differing: string[] }[]>(
          `SELECT lifecycle_status, ${etagColumn}, ${differing(fields, 3)} AS differing
           FROM registry.devices WHERE id = $1 AND account_id = $2 FOR UPDATE`,
          [id, accountId, ...fields.map(([, value]) => value)],
        );
        if (!current) throw new DeviceNotFound();
        mustMatch(ifMatch, current.etag);
        await this.refuseReadOnly(manager, id, unchanged);
        if (current.lifecycle_status === 'blocked') throw new DeviceSuspended();
        if (fields.length === 0) return;
        const [row] = await returning<DeviceRow>(
          manager,
          `UPDATE registry.devices SET ${fields.map(([name], i) => `${name} = $${i + 2}`).join(', ')}, updated_at = clock_timestamp(),
             revision = revision + 1 WHERE id = $1 RETURNING ${deviceRowColumns}`,
          [id, ...fields.map(([, value]) => value)],
        );
        if (row) await this.lifecycle.announce(manager, 'changed', row, { actor });
        if (row && actor && current.differing.length > 0) await this.record(manager, actor, row, current.differing);
      }),
    );
    return this.get({ accountId }, id);
  }

  /** Throws DeviceNotFound, EtagDiffers for another version. */
  async remove(accountId: string, id: string, { ifMatch, actor }: ChangeOptions = {}): Promise<void> {
    await this.database.transaction(async (manager) => {
      const [current] = await manager.query<{ etag: string }[]>(
        `SELECT ${etagColumn} FROM registry.devices WHERE id = $1 AND account_id = $2 FOR UPDATE`,
        [id, accountId],
      );
      if (!current) throw new DeviceNotFound();
      mustMatch(ifMatch, current.etag);
      causedBy(manager, actor?.requestId);
      await withdrawCredentials(this.outbox, manager, id);
      await withdrawProfile(this.outbox, manager, id);
      const [row] = (await returning<DeletedRow>(manager, deleteSql, [id])) as [DeletedRow];
      const { deleted_at: deletedAt, ...last } = row;
      const gone = { ...last, revision: last.revision + 1, changed_at: deletedAt };
      await this.lifecycle.announce(manager, 'deleted', gone, { actor });
    });
  }

  /** Throws ValidationFailed with the read-only fields that differ from the record. */
  private async refuseReadOnly(manager: EntityManager, id: string, unchanged: Record<string, unknown>): Promise<void> {
    if (Object.keys(unchanged).length === 0) return;
    const [current] = await manager.query<{ record: string; groups: string }[]>(
      `SELECT ${deviceRecord} AS record, ${deviceGroups} AS groups FROM registry.devices d WHERE d.id = $1`,
      [id],
    );
    if (current) refuseOtherValues(unchanged, JSON.parse(withGroups(current.record, current.groups)) as object);
  }

  /** Records only the names of the fields, because values may contain a key or personal data. */
  private async record(manager: EntityManager, actor: Actor, row: DeviceRow, fields: readonly string[]): Promise<void> {
    const target = { kind: 'device', id: row.id, name: row.endpoint_name ?? undefined };
    const data = { fields: fields.join(',') };
    await this.audit.record(manager, 'SYS_570', { accountId: row.account_id, actor, target, deviceId: row.id, data });
  }
}
