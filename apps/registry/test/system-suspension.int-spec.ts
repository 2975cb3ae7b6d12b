import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Outbox } from '@lanyard/kafka';
import { newId } from '@lanyard/service';
import type { DataSource } from 'typeorm';
import { app } from '../src/config.js';
import { schema } from '../src/db/database.js';
import { Lifecycle } from '../src/devices/lifecycle.js';
import { SystemSuspension } from '../src/suspension/system-suspension.js';
import { type TestDatabase, testDatabase } from './test-database.js';

/** Takes a step when the test says so. */
class SteppedSuspension extends SystemSuspension {
  takeStep(): Promise<boolean> {
    return this.step();
  }
}

describe('the devices of a suspended account, step by step', () => {
  let stored: TestDatabase;
  let database: DataSource;
  let first: SteppedSuspension;
  let second: SteppedSuspension;

  beforeAll(async () => {
    stored = await testDatabase('system-suspension');
    ({ database } = stored);
    const lifecycle = new Lifecycle(new Outbox(schema, app));
    [first, second] = [new SteppedSuspension(database, lifecycle), new SteppedSuspension(database, lifecycle)];
    for (const replica of [first, second]) await replica.stop();
  });
  afterAll(async () => {
    await stored?.drop();
  });

  const stand = (accountId: string, status: 'active' | 'suspended', at: number): Promise<void> => {
    const changedAt = `2026-01-01T00:00:0${at}.000Z`;
    return first.recordAccount({ accountId, tier: 'commercial', status, autoCreateDevices: false, changedAt });
  };
  /** An account with 1,001 devices: two full steps, and a third for the last one. */
  const accountWithDevices = async (): Promise<{ account: string; ids: readonly string[] }> => {
    const account = newId();
    const ids = Array.from({ length: 1_001 }, () => newId()).toSorted();
    await database.query('INSERT INTO registry.devices (id, account_id) SELECT unnest($1::text[]), $2::text', [
      ids,
      account,
    ]);
    return { account, ids };
  };
  const suspendedOf = async (account: string): Promise<number> => {
    const [row] = (await database.query(
      'SELECT count(*)::int AS n FROM registry.devices WHERE account_id = $1 AND system_suspended',
      [account],
    )) as [{ n: number }];
    return row.n;
  };

  it('a step continues after the devices that follow already', async () => {
    const { account, ids } = await accountWithDevices();
    await stand(account, 'suspended', 1);
    expect(await first.takeStep()).toBe(true);
    expect(await suspendedOf(account)).toBe(500);
    // A step that read the first device again would change it again.
    await database.query('UPDATE registry.devices SET system_suspended = false WHERE id = $1', [ids[0]]);
    while (await first.takeStep());
    expect(await suspendedOf(account)).toBe(1_000);
  });

  it('replicas that take turns reach all of them', async () => {
    const { account } = await accountWithDevices();
    await stand(account, 'suspended', 1);
    for (const replica of [first, second, first]) expect(await replica.takeStep()).toBe(true);
    expect(await second.takeStep()).toBe(false);
    expect(await suspendedOf(account)).toBe(1_001);
  });

  it('an account that is resumed halfway begins with the first device again', async () => {
    const { account } = await accountWithDevices();
    await stand(account, 'suspended', 1);
    expect(await first.takeStep()).toBe(true);
    await stand(account, 'active', 2);
    while (await first.takeStep());
    expect(await suspendedOf(account)).toBe(0);
  });
});
