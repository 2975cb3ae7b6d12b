import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { type DeviceCredentialChanged, DeviceCredentials, fixtures } from '@lanyard/contracts';
import { Outbox } from '@lanyard/kafka';
import { newId } from '@lanyard/service';
import { eventually } from '@lanyard/testing';
import type { DataSource } from 'typeorm';
import { app } from '../src/config.js';
import { schema } from '../src/db/database.js';
import { CredentialAnnouncer } from '../src/devices/credential-announcer.js';
import { type TestDatabase, testDatabase } from './test-database.js';

let stored: TestDatabase;
let database: DataSource;

beforeAll(async () => {
  stored = await testDatabase('withdrawn-credentials');
  ({ database } = stored);
});
afterAll(async () => {
  await stored?.drop();
});

it('the end of a credential that is being re-encrypted while its device is deleted is announced last', async () => {
  // Without a relay: what is announced stays where it is.
  const announcer = new CredentialAnnouncer(new Outbox(schema, app));
  const [accountId, deviceId, credentialId] = [newId(), newId(), newId()];
  await database.query('INSERT INTO registry.devices (id, account_id) VALUES ($1, $2)', [deviceId, accountId]);
  await database.query(
    `INSERT INTO registry.device_credentials (id, account_id, device_id, kind, identity, sealed_key)
     VALUES ($1, $2, $3, 'psk', $1, 'AAAA')`,
    [credentialId, accountId, deviceId],
  );
  const known = fixtures(DeviceCredentials).valid['pre-shared key'] as DeviceCredentialChanged;
  let deletion: Promise<unknown> | undefined;
  await database.transaction(async (manager) => {
    await manager.query('SELECT 1 FROM registry.device_credentials WHERE id = $1 FOR UPDATE', [credentialId]);
    deletion = database.transaction(async (other) => {
      await announcer.announceWithdrawalsFor(other, deviceId);
      await other.query('DELETE FROM registry.devices WHERE id = $1', [deviceId]);
    });
    await eventually(async () => {
      const waiting = 'SELECT 1 FROM pg_locks WHERE NOT granted AND pg_backend_pid() = ANY (pg_blocking_pids(pid))';
      expect(await manager.query<unknown[]>(waiting)).toHaveLength(1);
    });
    await announcer.announceChange(manager, { ...known, credentialId, accountId, deviceId });
  });
  await deletion;
  const announced: unknown = await database.query(
    'SELECT message_key AS id, value IS NULL AS is_end FROM registry.outbox_messages ORDER BY outbox_messages.id',
  );
  expect(announced).toEqual([
    { id: credentialId, is_end: false },
    { id: credentialId, is_end: true },
  ]);
});
