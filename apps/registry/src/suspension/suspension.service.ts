import { PreparedStatement } from '@lanyard/service';
import type { DataSource } from 'typeorm';
import { DeviceNotFound } from '../errors.js';
import { type Actor, deviceRowColumns, type DeviceRow, type Lifecycle } from '../devices/lifecycle.js';
import type { SuspensionCategory } from './categories.js';

/** Operators suspend over the API; the system does by itself. The two are kept apart (spec §2.2). */
export type By = 'operator' | 'system';

export interface Reason {
  category: SuspensionCategory;
  description?: string | undefined;
}

const suspension = (by: By): PreparedStatement<DeviceRow> =>
  new PreparedStatement(
    `UPDATE registry.devices SET lifecycle_status = 'blocked', ${by}_suspended = true, last_${by}_suspended_category = $3,
       last_${by}_suspended_description = $4, last_${by}_suspended_updated_at = clock_timestamp(),
       updated_at = clock_timestamp(), revision = revision + 1
     WHERE id = $1 AND account_id = $2 RETURNING ${deviceRowColumns}`,
  );

/** Nothing for a device that is not suspended. */
const resumption = (by: By, other: By): PreparedStatement<DeviceRow> =>
  new PreparedStatement(
    `UPDATE registry.devices SET ${by}_suspended = false,
       lifecycle_status = CASE WHEN ${other}_suspended THEN 'blocked' ELSE 'enabled' END,
       updated_at = clock_timestamp(), revision = revision + 1
     WHERE id = $1 AND account_id = $2 AND ${by}_suspended RETURNING ${deviceRowColumns}`,
  );

const suspensions = { operator: suspension('operator'), system: suspension('system') };
const resumptions = { operator: resumption('operator', 'system'), system: resumption('system', 'operator') };
const existence = new PreparedStatement('SELECT 1 FROM registry.devices WHERE id = $1 AND account_id = $2');

/** Suspends and resumes devices (spec §3.1). Both may be repeated. */
export class SuspensionService {
  constructor(
    private readonly database: DataSource,
    private readonly lifecycle: Lifecycle,
  ) {}

  /** The device is blocked; the newest category and description are kept. */
  async suspend(accountId: string, deviceId: string, by: By, reason: Reason, actor?: Actor): Promise<void> {
    await this.database.transaction(async (manager) => {
      const [row] = await suspensions[by].run(manager, [
        deviceId,
        accountId,
        reason.category,
        reason.description ?? '',
      ]);
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
      const [row] = await resumptions[by].run(manager, [deviceId, accountId]);
      if (!row) {
        const found = await existence.run(manager, [deviceId, accountId]);
        if (found.length === 0) throw new DeviceNotFound();
        return;
      }
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
