import { BackgroundWork, hasRow } from '@lanyard/service';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { DeviceUpdates } from './device-updates.js';
import { selectUpdates, type UpdateRow } from './update-row.js';

const periodMs = 500;
const dueAtOnce = 200;

const isDue = `d.state = 'updating' AND d.due_at <= now()`;
const anyDueSql = `SELECT FROM campaigns.campaign_devices d WHERE ${isDue}`;

/** Devices that are due. Replicas share them: a locked device belongs to another replica. */
const dueSql = `${selectUpdates}
  WHERE ${isDue} ORDER BY d.due_at LIMIT ${dueAtOnce} FOR UPDATE OF d SKIP LOCKED`;

/** Handles devices that are due: the next poll, or a step that took too long. */
@Injectable()
export class DeviceTimers extends BackgroundWork {
  constructor(
    private readonly database: DataSource,
    private readonly updates: DeviceUpdates,
  ) {
    super(periodMs, 'devices of campaigns not looked at, tried again');
  }

  protected async step(): Promise<boolean> {
    if (!(await hasRow(this.database, anyDueSql))) return false;
    return this.database.transaction((manager) => this.advance(manager));
  }

  private async advance(manager: EntityManager): Promise<boolean> {
    const rows = (await manager.query(dueSql)) as UpdateRow[];
    await this.updates.apply(manager, rows, () => ({ kind: 'due' }));
    return rows.length === dueAtOnce;
  }
}
