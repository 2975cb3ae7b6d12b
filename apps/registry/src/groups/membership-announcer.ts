import { DeviceGroups, type DeviceGroupsChanged } from '@lanyard/contracts';
import { Outbox } from '@lanyard/kafka';
import { BackgroundWork, hasRow, returning } from '@lanyard/service';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';

const periodMs = 500;
const changesAtOnce = 500;

interface Change {
  device_id: string;
  account_id: string;
}

/**
 * Announces in which groups devices are, a moment after that changed. A group may have any number of members: their
 * announcements do not belong in the request that deletes it.
 */
@Injectable()
export class MembershipAnnouncer extends BackgroundWork {
  constructor(
    private readonly database: DataSource,
    private readonly outbox: Outbox,
  ) {
    super(periodMs, 'groups of devices not announced, tried again');
  }

  protected async step(): Promise<boolean> {
    if (!(await hasRow(this.database, 'SELECT FROM registry.group_changes'))) return false;
    return this.database.transaction((manager) => this.announce(manager));
  }

  private async announce(manager: EntityManager): Promise<boolean> {
    // Only one replica announces at a time, so that announcements are in the order of their revisions.
    const [lock] = await manager.query<{ acquired: boolean }[]>(
      `SELECT pg_try_advisory_xact_lock(hashtext('registry'), hashtext('group_changes')) AS acquired`,
    );
    if (!lock?.acquired) return false;
    const changes = await returning<Change>(
      manager,
      `DELETE FROM registry.group_changes WHERE id IN
         (SELECT id FROM registry.group_changes ORDER BY id LIMIT ${changesAtOnce})
       RETURNING device_id, account_id`,
    );
    if (changes.length === 0) return false;
    // Each device once: all of its changes have the same account.
    const byDevice = new Map(changes.map((change) => [change.device_id, change]));
    // The revision is not the number of a change: of two concurrent transactions, the one with the lower number may commit last.
    const [{ revision }] = await manager.query<[{ revision: string }]>(
      `SELECT nextval(pg_get_serial_sequence('registry.group_changes', 'id')) AS revision`,
    );
    // A separate statement sees all recorded changes, and possibly later ones, which are recorded as well.
    const rows = await manager.query<{ device_id: string; groups: string[] }[]>(
      `SELECT device_id, array_agg(group_id ORDER BY group_id) AS groups FROM registry.group_members
       WHERE device_id = ANY($1) GROUP BY device_id`,
      [[...byDevice.keys()]],
    );
    const groupsOf = new Map(rows.map((row) => [row.device_id, row.groups]));
    const changedAt = new Date(this.clock.now()).toISOString();
    const facts = [...byDevice.values()].map((change): DeviceGroupsChanged => ({
      deviceId: change.device_id,
      accountId: change.account_id,
      groups: groupsOf.get(change.device_id) ?? [],
      revision: Number(revision),
      changedAt,
    }));
    await this.outbox.appendAll(manager, DeviceGroups, facts);
    // A later reader of the state from the beginning finds nothing about devices without groups.
    for (const { deviceId, groups } of facts)
      if (groups.length === 0) await this.outbox.appendTombstone(manager, DeviceGroups, deviceId);
    return true;
  }
}
