import { BootstrapProfiles, DeviceCredentials } from '@lanyard/contracts';
import type { Outbox } from '@lanyard/kafka';
import type { EntityManager } from 'typeorm';

/**
 * Announces the end of all credentials of a device before it is deleted. The caller has locked its row. The credentials
 * are locked too: `reencrypt` announces them without the device.
 */
export const withdrawCredentials = async (outbox: Outbox, manager: EntityManager, deviceId: string): Promise<void> => {
  const sql = 'SELECT id FROM registry.device_credentials WHERE device_id = $1 ORDER BY id FOR UPDATE';
  for (const { id } of await manager.query<{ id: string }[]>(sql, [deviceId]))
    await outbox.appendTombstone(manager, DeviceCredentials, id);
};

/**
 * Announces the end of the profile of a device or group before that is deleted. The caller has locked its row. The
 * profile is locked too: its changes lock the profile only.
 */
export const withdrawProfile = async (outbox: Outbox, manager: EntityManager, targetId: string): Promise<void> => {
  const sql = 'SELECT id FROM registry.bootstrap_profiles WHERE device_id = $1 OR group_id = $1 FOR UPDATE';
  for (const { id } of await manager.query<{ id: string }[]>(sql, [targetId]))
    await outbox.appendTombstone(manager, BootstrapProfiles, id);
};
