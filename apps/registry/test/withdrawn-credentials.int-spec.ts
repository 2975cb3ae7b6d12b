import { afterAll, beforeAll, expect, it } from '@jest/globals';
import {
  type BootstrapProfileChanged,
  BootstrapProfiles,
  type DeviceCredentialChanged,
  DeviceCredentials,
  fixtures,
} from '@lanyard/contracts';
import { Outbox } from '@lanyard/kafka';
import { newId } from '@lanyard/service';
import { eventually } from '@lanyard/testing';
import type { DataSource, EntityManager } from 'typeorm';
import { app } from '../src/config.js';
import { schema } from '../src/db/database.js';
import { withdrawCredentials, withdrawProfile } from '../src/devices/withdrawals.js';
import { type TestDatabase, testDatabase } from './test-database.js';

const outbox = new Outbox(schema, app);
let stored: TestDatabase;
let database: DataSource;

beforeAll(async () => {
  stored = await testDatabase('withdrawn-credentials');
  ({ database } = stored);
});
afterAll(async () => {
  await stored?.drop();
});

/** Something of a device that is announced when it changes, and withdrawn when the device is deleted. */
interface Announced {
  id: string;
  table: string;
  announceChange(manager: EntityManager): Promise<void>;
  announceWithdrawal(manager: EntityManager): Promise<void>;
}

/** What is announced of it, in order, when its device is deleted while a transaction changes it. No relay runs. */
const announcedOf = async (deviceId: string, { id, table, ...announce }: Announced): Promise<unknown> => {
  let deletion: Promise<unknown> | undefined;
  await database.transaction(async (manager) => {
    await manager.query(`SELECT 1 FROM registry.${table} WHERE id = $1 FOR UPDATE`, [id]);
    deletion = database.transaction(async (other) => {
      await announce.announceWithdrawal(other);
      await other.query('DELETE FROM registry.devices WHERE id = $1', [deviceId]);
    });
    await eventually(async () => {
      const waiting = 'SELECT 1 FROM pg_locks WHERE NOT granted AND pg_backend_pid() = ANY (pg_blocking_pids(pid))';
      expect(await manager.query<unknown[]>(waiting)).toHaveLength(1);
    });
    await announce.announceChange(manager);
  });
  await deletion;
  const sql = 'SELECT value IS NULL AS is_end FROM registry.outbox_messages WHERE message_key = $1 ORDER BY id';
  return database.query<unknown>(sql, [id]);
};

it('the end of a credential that is being re-encrypted while its device is deleted is announced last', async () => {
  const [accountId, deviceId, credentialId] = [newId(), newId(), newId()];
  await database.query('INSERT INTO registry.devices (id, account_id) VALUES ($1, $2)', [deviceId, accountId]);
  await database.query(
    `INSERT INTO registry.device_credentials (id, account_id, device_id, kind, identity, sealed_key)
     VALUES ($1, $2, $3, 'psk', $1, 'AAAA')`,
    [credentialId, accountId, deviceId],
  );
  const known = fixtures(DeviceCredentials).valid['pre-shared key'] as DeviceCredentialChanged;
  const announced = await announcedOf(deviceId, {
    id: credentialId,
    table: 'device_credentials',
    announceChange: (manager) =>
      outbox.append(manager, DeviceCredentials, { ...known, credentialId, accountId, deviceId }),
    announceWithdrawal: (manager) => withdrawCredentials(outbox, manager, deviceId),
  });
  expect(announced).toEqual([{ is_end: false }, { is_end: true }]);
});

it('the end of a bootstrap profile that is being changed while its device is deleted is announced last', async () => {
  const [accountId, deviceId, profileId] = [newId(), newId(), newId()];
  await database.query('INSERT INTO registry.devices (id, account_id) VALUES ($1, $2)', [deviceId, accountId]);
  await database.query(
    `INSERT INTO registry.bootstrap_profiles (id, account_id, name, scope, device_id, server_uri, short_server_id,
       lifetime_seconds, binding, notification_storing, delete_paths)
     VALUES ($1, $2, $1, 'device', $3, 'coaps://lwm2m.example', 1, 300, 'U', true, '[]')`,
    [profileId, accountId, deviceId],
  );
  const known = fixtures(BootstrapProfiles).valid['of the account'] as BootstrapProfileChanged;
  const announced = await announcedOf(deviceId, {
    id: profileId,
    table: 'bootstrap_profiles',
    announceChange: (manager) =>
      outbox.append(manager, BootstrapProfiles, { ...known, profileId, accountId, deviceId }),
    announceWithdrawal: (manager) => withdrawProfile(outbox, manager, deviceId),
  });
  expect(announced).toEqual([{ is_end: false }, { is_end: true }]);
});
