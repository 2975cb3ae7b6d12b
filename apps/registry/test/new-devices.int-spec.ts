import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Outbox } from '@lanyard/kafka';
import { createLogger, newId, StopDeadline, systemClock } from '@lanyard/service';
import { eventually } from '@lanyard/testing';
import type { DataSource } from 'typeorm';
import { app } from '../src/config.js';
import { schema } from '../src/db/database.js';
import { deviceRowColumns, type DeviceRow, Lifecycle } from '../src/devices/lifecycle.js';
import { NewDevices } from '../src/devices/new-devices.js';
import { SystemSuspension } from '../src/suspension/system-suspension.js';
import { type TestDatabase, testDatabase } from './test-database.js';

describe('devices that are created while their account is suspended or resumed', () => {
  let stored: TestDatabase;
  let database: DataSource;
  let newDevices: NewDevices;
  let suspension: SystemSuspension;

  beforeAll(async () => {
    stored = await testDatabase('new-devices');
    ({ database } = stored);
    const lifecycle = new Lifecycle(new Outbox(schema, app));
    newDevices = new NewDevices(lifecycle);
    const logger = createLogger({ app, replicaId: 'test', level: 'silent' });
    suspension = new SystemSuspension(database, lifecycle);
    Object.assign(suspension, { clock: systemClock, logger, deadline: new StopDeadline(logger) });
    suspension.onApplicationBootstrap();
  });
  afterAll(async () => {
    await suspension?.stop();
    await stored?.drop();
  });

  const stand = (accountId: string, status: 'active' | 'suspended', second: number): Promise<void> => {
    const changedAt = `2026-01-01T00:00:0${second}.000Z`;
    return suspension.recordAccount({ accountId, tier: 'commercial', status, autoCreateDevices: false, changedAt });
  };
  const hasSettled = async (accountId: string, status: 'active' | 'suspended'): Promise<boolean> => {
    const rows = (await database.query(
      'SELECT 1 FROM registry.account_standings WHERE account_id = $1 AND suspended = $2 AND settled',
      [accountId, status === 'suspended'],
    )) as unknown[];
    return rows.length > 0;
  };
  const statusOf = async (id: string): Promise<unknown> => {
    const [row] = (await database.query('SELECT lifecycle_status FROM registry.devices WHERE id = $1', [id])) as {
      lifecycle_status: string;
    }[];
    return row?.lifecycle_status;
  };
  const othersWait = async (): Promise<boolean> => {
    const rows = (await database.query(
      `SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted
       AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
    )) as unknown[];
    return rows.length > 0;
  };

  /** Begins to create a device; `end` lets the transaction continue. */
  const creation = async (accountId: string): Promise<{ id: string; end: () => Promise<unknown> }> => {
    const id = newId();
    let resume: () => void = () => undefined;
    const told = new Promise<void>((resolve) => (resume = resolve));
    let created: Promise<unknown> = Promise.resolve();
    await new Promise<void>((inserted) => {
      created = database.transaction(async (manager) => {
        await newDevices.create(
          manager,
          accountId,
          async () =>
            (await manager.query(
              `INSERT INTO registry.devices (id, account_id) VALUES ($1, $2) RETURNING ${deviceRowColumns}`,
              [id, accountId],
            )) as DeviceRow[],
        );
        inserted();
        await told;
      });
    });
    return {
      id,
      end: () => {
        resume();
        return created;
      },
    };
  };

  it.each<['suspended' | 'active', 'blocked' | 'enabled']>([
    ['suspended', 'blocked'],
    ['active', 'enabled'],
  ])('a device that is not yet committed follows too when the account becomes %s', async (status, lifecycleStatus) => {
    const account = newId();
    if (status === 'active') await stand(account, 'suspended', 1);
    const { id, end } = await creation(account);
    const told = stand(account, status, 2);
    // The account waits, or has changed past the device.
    await eventually(async () => (await othersWait()) || (await hasSettled(account, status)));
    await end();
    await told;
    await eventually(async () => expect(await hasSettled(account, status)).toBe(true));
    expect(await statusOf(id)).toBe(lifecycleStatus);
  });
});
