import { returning } from '@lanyard/service';
import type { EntityManager } from 'typeorm';
import { deviceRowColumns, type DeviceRow } from './lifecycle.js';
import type { Reason } from './suspension-reason.js';

/** First half of an advisory lock's key: an account is suspended or resumed while no devices are being created in it. */
const lockSpace = 0x0b10;

/** Why the system suspends devices (spec §2.2: `other`, when the system did it). */
export const accountSuspensionReason: Reason = { category: 'other', description: 'The account is suspended' };

/**
 * Keeps the account suspended or not suspended until the transaction ends. Call it before devices are created, and
 * before anything else is locked.
 */
export const lockAccountStatus = (manager: EntityManager, accountId: string): Promise<unknown> =>
  manager.query('SELECT pg_advisory_xact_lock_shared($1, hashtext($2))', [lockSpace, accountId]);

/** Waits until no transaction is creating devices in the account, and lets none begin to until this one ends. */
export const awaitDeviceCreation = (manager: EntityManager, accountId: string): Promise<unknown> =>
  manager.query('SELECT pg_advisory_xact_lock($1, hashtext($2))', [lockSpace, accountId]);

/** SQL condition: the account with this id, an SQL expression, is suspended. */
export const isSuspended = (accountId: string): string =>
  `EXISTS (SELECT 1 FROM registry.account_standings s WHERE s.account_id = ${accountId} AND s.suspended)`;

const assignments = {
  suspended: `system_suspended = true, lifecycle_status = 'blocked',
    last_system_suspended_category = '${accountSuspensionReason.category}',
    last_system_suspended_description = '${accountSuspensionReason.description}',
    last_system_suspended_updated_at = clock_timestamp()`,
  resumed: `system_suspended = false, lifecycle_status = CASE WHEN operator_suspended THEN 'blocked' ELSE 'enabled' END`,
};

/** Suspends or resumes, for the system, the devices `registry.devices d` that match the SQL condition. */
export const changeSystemSuspension = (
  manager: EntityManager,
  change: keyof typeof assignments,
  condition: string,
  parameters: unknown[],
): Promise<DeviceRow[]> =>
  returning(
    manager,
    `UPDATE registry.devices d SET ${assignments[change]}, updated_at = clock_timestamp(), revision = revision + 1
     WHERE ${condition} RETURNING ${deviceRowColumns}`,
    parameters,
  );
