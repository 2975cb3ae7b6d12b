import type { Actor } from '@lanyard/contracts';
import { AuditTrail, Outbox } from '@lanyard/kafka';
import { type AccessScope, countOf, FairQueue, type Identity, type ListSpec } from '@lanyard/service';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { deviceConditions } from '../devices/device-list.js';
import { withdrawProfile } from '../devices/withdrawals.js';
import { DeviceNotFound, GroupNameTaken, GroupNotFound, TooManyGroups } from '../errors.js';
import { NamedRecords } from '../records/named-records.js';
import { changeable, Group } from './group-fields.js';

/** All groups of a device are in its record, and in one message of device.groups, whose size Kafka limits. */
export const groupsPerDeviceMax = 500;

export const groupListSpec: ListSpec = {
  filters: { id: 'text', name: 'text', devices_count: 'number', created_at: 'date', updated_at: 'date' },
  maps: ['custom_attributes'],
};

const membership = {
  add: {
    action: 'SYS_543',
    sql: 'INSERT INTO registry.group_members (group_id, device_id) VALUES ($1, $2) ON CONFLICT DO NOTHING RETURNING 1',
  },
  remove: {
    action: 'SYS_544',
    sql: `WITH removed AS (DELETE FROM registry.group_members WHERE group_id = $1 AND device_id = $2 RETURNING 1)
          SELECT 1 FROM removed`,
  },
} as const;

/** Device groups (spec §2.1, §4.1). */
@Injectable()
export class GroupsService extends NamedRecords<Group> {
  constructor(database: DataSource, audit: AuditTrail, outbox: Outbox) {
    super(database, audit, {
      object: 'device-group',
      schema: Group,
      table: 'device_groups',
      expressions: {
        devices_count: '(SELECT count(*)::int FROM registry.group_members m WHERE m.group_id = t.id)',
      },
      changeable,
      volatileMembers: ['devices_count'],
      notFound: () => new GroupNotFound(),
      nameTaken: () => new GroupNameTaken(),
      actions: { created: 'SYS_540', changed: 'SYS_541', deleted: 'SYS_542' },
      onChange: async (manager, change, { id }) => {
        if (change === 'deleted') await withdrawProfile(outbox, manager, id);
      },
    });
  }

  /** Throws GroupNotFound, also for a group that the caller may not see. */
  async getVisible({ accountId, deviceGroups }: AccessScope, id: string): Promise<Group> {
    if (deviceGroups?.includes(id) === false) throw new GroupNotFound();
    return this.get(accountId, id);
  }

  /**
   * As `getVisible`, but returns only the name: for the record, PostgreSQL counts all devices of the group. `lock`: the
   * locking clause of the SQL statement.
   */
  async mustBeVisible(
    { accountId, deviceGroups }: AccessScope,
    id: string,
    database: Pick<EntityManager, 'query'> = this.database,
    lock = '',
  ): Promise<string> {
    if (deviceGroups?.includes(id) === false) throw new GroupNotFound();
    const sql = `SELECT name FROM registry.device_groups WHERE id = $1 AND account_id = $2 ${lock}`;
    const [group] = await database.query<{ name: string }[]>(sql, [id, accountId]);
    if (!group) throw new GroupNotFound();
    return group.name;
  }

  /** Waits for its turn at the database: up to one membership for each device of the account ends with the group. */
  override remove(actor: Actor, id: string, ifMatch?: string): Promise<void> {
    return FairQueue.at(this.database).run(actor.accountId, () => super.remove(actor, id, ifMatch));
  }

  /**
   * Adding a member again changes nothing, and neither does removing a device that is no member. A caller that is limited
   * to groups moves only devices of these groups, and only between them. Throws GroupNotFound, DeviceNotFound, TooManyGroups.
   */
  async changeMember(how: keyof typeof membership, actor: Identity, groupId: string, deviceId: string): Promise<void> {
    const { accountId } = actor;
    const { action, sql } = membership[how];
    await this.database.transaction(async (manager) => {
      // Locks the group against deletion until the transaction ends. Several transactions may hold this lock.
      const name = await this.mustBeVisible(actor, groupId, manager, 'FOR KEY SHARE');
      await this.lockDevice(manager, actor, deviceId);
      const done = await manager.query<unknown[]>(sql, [groupId, deviceId]);
      if (done.length === 0) return;
      if (how === 'add') await this.mustHaveRoom(manager, deviceId);
      const target = { kind: 'device-group', id: groupId, name };
      await this.audit.record(manager, action, { accountId, actor, target, deviceId });
    });
  }

  /** Called after the device was added. Throws TooManyGroups if it is now in too many. */
  private async mustHaveRoom(manager: EntityManager, deviceId: string): Promise<void> {
    const groups = await countOf(manager, 'registry.group_members WHERE device_id = $1', [deviceId]);
    if (groups > groupsPerDeviceMax) throw new TooManyGroups(groupsPerDeviceMax);
  }

  /** Locks the device until the transaction ends, against deletion and group changes. Throws DeviceNotFound. */
  private async lockDevice(manager: EntityManager, scope: AccessScope, deviceId: string): Promise<void> {
    const parameters: unknown[] = [deviceId];
    const conditions = deviceConditions(scope, [], parameters);
    const found = await manager.query<unknown[]>(
      `SELECT 1 FROM registry.devices d WHERE d.id = $1 AND ${conditions.join(' AND ')} FOR NO KEY UPDATE OF d`,
      parameters,
    );
    if (found.length === 0) throw new DeviceNotFound();
  }
}
