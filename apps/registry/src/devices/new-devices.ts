import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { type Author, type DeviceRow, Lifecycle } from './lifecycle.js';
import {
  accountSuspensionReason,
  changeSystemSuspension,
  isSuspended,
  lockAccountStatus,
} from './account-suspension.js';
import { announcedSuspension } from './suspension-reason.js';

/** How devices enter the directory: over the API, by an import, by a first contact. */
@Injectable()
export class NewDevices {
  constructor(private readonly lifecycle: Lifecycle) {}

  /**
   * Announces the devices that `insert` creates in this transaction. Those of a suspended account are suspended in it too, like
   * the other devices of the account (spec §2.2, §3.1).
   */
  async create(
    manager: EntityManager,
    accountId: string,
    insert: () => Promise<DeviceRow[]>,
    actor?: Author,
  ): Promise<DeviceRow[]> {
    await lockAccountStatus(manager, accountId);
    const rows = await insert();
    if (rows.length === 0) return rows;
    await this.lifecycle.announceAll(manager, 'created', rows, () => ({ actor }));
    const suspended = await changeSystemSuspension(manager, 'suspended', `d.id = ANY($2) AND ${isSuspended('$1')}`, [
      accountId,
      rows.map((row) => row.id),
    ]);
    await this.lifecycle.announceAll(manager, 'suspended', suspended, (row) => ({
      suspension: announcedSuspension('system', accountSuspensionReason, row.changed_at),
    }));
    return rows;
  }
}
