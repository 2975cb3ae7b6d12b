import type { DataSource } from 'typeorm';
import { DeviceNotFound } from '../errors.js';
import { type Actor, deviceRowColumns, type Lifecycle, returned } from '../devices/lifecycle.js';
import type { SuspensionCategory } from './categories.js';

/** Operators suspend over the API; the system does by itself. The two are kept apart (spec §2.2). */
export type By = 'operator' | 'system';

export interface Reason {
  category: SuspensionCategory;
  description?: string | undefined;
}

/** Suspends and resumes devices (spec §3.1). Both may be repeated. */
export class SuspensionService {
  constructor(
    private readonly database: DataSource,
    private readonly lifecycle: Lifecycle,
  ) {}

  /** The device is blocked; the newest category and description are kept. */
  async suspend(accountId: string, deviceId: string, by: By, reason: Reason, actor?: Actor): Promise<void> {
    await this.database.transaction(async (manager) => {
      const [row] = returned(
        await manager.query(
          `UPDATE registry.devices SET lifecycle_status = 'blocked', ${by}_suspended = true, last_${by}_suspended_category = $3,
             last_${by}_suspended_description = $4, last_${by}_suspended_updated_at = clock_timestamp(),
             updated_at = clock_timestamp(), revision = revision + 1
           WHERE id = $1 AND account_id = $2 RETURNING ${deviceRowColumns}`,
          [deviceId, accountId, reason.category, reason.description ?? ''],
        ),
      );
      if (!row) throw new DeviceNotFound();
      await this.lifecycle.announce(manager, 'suspended', row, {
        suspension: announced(by, reason, row.changed_at),
        actor,
      });
    });
  }

  /** A device that is suspended by both stays blocked until both resumed it. */
  async resume(accountId: string, deviceId: string, by: By, reason: Reason, actor?: Actor): Promise<void> {
    await this.database.transaction(async (manager) => {
      const [held] = (await manager.query(
        `SELECT ${by}_suspended AS suspended FROM registry.devices WHERE id = $1 AND account_id = $2 FOR UPDATE`,
        [deviceId, accountId],
      )) as { suspended: boolean }[];
      if (!held) throw new DeviceNotFound();
      if (!held.suspended) return;
      const other = by === 'operator' ? 'system' : 'operator';
      const [row] = returned(
        await manager.query(
          `UPDATE registry.devices SET ${by}_suspended = false,
             lifecycle_status = CASE WHEN ${other}_suspended THEN 'blocked' ELSE 'enabled' END,
             updated_at = clock_timestamp(), revision = revision + 1
           WHERE id = $1 RETURNING ${deviceRowColumns}`,
          [deviceId],
        ),
      );
      if (row)
        await this.lifecycle.announce(manager, 'resumed', row, {
          suspension: announced(by, reason, row.changed_at),
          actor,
        });
    });
  }
}

export const announced = (
  by: By,
  { category, description }: Reason,
  at: string,
): { by: By; category: SuspensionCategory; at: string; description?: string } => ({
  by,
  category,
  at,
  ...(description && { description }),
});
