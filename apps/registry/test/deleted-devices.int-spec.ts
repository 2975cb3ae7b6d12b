import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { decodeMessage, type DeviceContacted, DeviceLifecycle } from '@lanyard/contracts';
import { Outbox } from '@lanyard/kafka';
import { createLogger, newId, StopDeadline } from '@lanyard/service';
import { eventually, TestClock } from '@lanyard/testing';
import type { DataSource } from 'typeorm';
import { app } from '../src/config.js';
import { schema } from '../src/db/database.js';
import { DeletedDevices } from '../src/devices/deleted-devices.js';
import { Lifecycle } from '../src/devices/lifecycle.js';
import { NewDevices } from '../src/devices/new-devices.js';
import { ContactWriter } from '../src/intake/contact-writer.js';
import { type TestDatabase, testDatabase } from './test-database.js';

describe('ids of devices that were deleted', () => {
  let stored: TestDatabase;
  let database: DataSource;
  let contacts: ContactWriter;
  const accountId = newId();

  beforeAll(async () => {
    stored = await testDatabase('deleted-devices');
    ({ database } = stored);
    const outbox = new Outbox(schema, app);
    contacts = new ContactWriter(database, new NewDevices(new Lifecycle(outbox)), outbox);
  });
  afterAll(async () => {
    await stored?.drop();
  });

  const contact = (deviceId: string, endpointName: string): DeviceContacted => ({
    accountId,
    deviceId,
    endpointName,
    occurredAt: '2026-01-01T00:00:00.000Z',
  });
  const remove = (deviceId: string): Promise<unknown> =>
    database.query('DELETE FROM registry.devices WHERE id = $1', [deviceId]);
  const createdAndDeleted = async (endpointName: string = newId()): Promise<string> => {
    const deviceId = newId();
    await contacts.apply([contact(deviceId, endpointName)]);
    await remove(deviceId);
    return deviceId;
  };
  const exists = async (deviceId: string): Promise<boolean> => {
    const rows = (await database.query('SELECT 1 FROM registry.devices WHERE id = $1', [deviceId])) as unknown[];
    return rows.length > 0;
  };
  /** Changes of the device, and null for each tombstone: nothing relays them here. */
  const announced = async (deviceId: string): Promise<(string | null)[]> => {
    const rows = (await database.query(
      'SELECT value FROM registry.outbox_messages WHERE topic = $1 AND message_key = $2 ORDER BY id',
      [DeviceLifecycle.name, deviceId],
    )) as { value: Buffer | null }[];
    return rows.map(({ value }) => value && decodeMessage(DeviceLifecycle, value).change);
  };

  it('create no device when their contact is read again: it gets a tombstone', async () => {
    const name = newId();
    const deviceId = await createdAndDeleted(name);
    await contacts.apply([contact(deviceId, name)]);
    expect(await exists(deviceId)).toBe(false);
    expect(await announced(deviceId)).toEqual(['created', null]);
  });

  it('leave the name to another id, in the same batch and later', async () => {
    const name = newId();
    const [deviceId, next] = [await createdAndDeleted(name), newId()];
    await contacts.apply([contact(deviceId, name), contact(next, name)]);
    await contacts.apply([contact(deviceId, name)]);
    expect([await exists(deviceId), await exists(next)]).toEqual([false, true]);
    expect(await announced(deviceId)).toEqual(['created', null, null]);
    expect(await announced(next)).toEqual(['created']);
  });

  it('are also those that were refused: they create no device when the device that had the name is deleted', async () => {
    const [name, owner, refused] = [newId(), newId(), newId()];
    await contacts.apply([contact(owner, name)]);
    await contacts.apply([contact(refused, name)]);
    await remove(owner);
    await contacts.apply([contact(refused, name)]);
    expect(await exists(refused)).toBe(false);
    expect(await announced(refused)).toEqual(['deleted', null, null]);
  });

  it('create no device when their contact is read before the deletion is committed', async () => {
    const [deviceId, name] = [newId(), newId()];
    await contacts.apply([contact(deviceId, name)]);
    let again: Promise<void> = Promise.resolve();
    await database.transaction(async (manager) => {
      await manager.query('DELETE FROM registry.devices WHERE id = $1', [deviceId]);
      again = contacts.apply([contact(deviceId, name)]);
      await eventually(async () => {
        const waiting = 'SELECT 1 FROM pg_locks WHERE NOT granted AND pg_backend_pid() = ANY (pg_blocking_pids(pid))';
        expect(await manager.query(waiting)).toHaveLength(1);
      });
    });
    await again;
    expect(await exists(deviceId)).toBe(false);
    expect(await announced(deviceId)).toEqual(['created', null]);
  });

  it('are remembered for 30 days, also if the clock of a replica is fast', async () => {
    const [old, recent] = [await createdAndDeleted(), await createdAndDeleted()];
    for (const [id, days] of [
      [old, 31],
      [recent, 29],
    ])
      await database.query(
        'UPDATE registry.deleted_devices SET deleted_at = now() - make_interval(days => $2) WHERE id = $1',
        [id, days],
      );
    const logger = createLogger({ app, replicaId: 'test', level: 'silent' });
    const devices = new DeletedDevices(database);
    const clock = new TestClock(Date.now() + 10 * 86_400_000);
    Object.assign(devices, { clock, logger, deadline: new StopDeadline(logger) });
    devices.wake();
    await devices.stop();
    const left = await database.query('SELECT id FROM registry.deleted_devices WHERE id = ANY($1)', [[old, recent]]);
    expect(left).toEqual([{ id: recent }]);
  });
});
