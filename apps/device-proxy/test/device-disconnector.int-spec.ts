import { newId } from '@lanyard/service';
import { eventually, TestClock } from '@lanyard/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { RunningProxy } from './running-proxy.js';
import { TestSystem, newKey } from './test-system.js';

const fleetSize = 400;

describe('a fleet that is suspended or deleted in one go', () => {
  let system: TestSystem;
  let proxy: RunningProxy;

  beforeAll(async () => {
    system = await TestSystem.create('disconnects');
    // On its clock nothing is done now and then, whose transactions would count too.
    proxy = await system.proxy('dp-0', { clock: new TestClock(Date.now()) });
  });
  afterAll(() => system.close());

  /** Transactions in the database so far. PostgreSQL's sessions tell once a second. */
  const transactions = async (): Promise<number> => {
    await new Promise((told) => setTimeout(told, 1_500));
    const [row] = await system.rows(
      'SELECT xact_commit::int AS n FROM pg_stat_database WHERE datname = current_database()',
    );
    return (row as { n: number }).n;
  };

  it.each([
    ['suspended', 'DEVICE_BLOCKED'],
    ['deleted', 'DEVICE_REMOVED_REGISTRATION'],
  ] as const)('%s: commands fail, and the database is asked for many together', async (change, error) => {
    const app = newKey(system.accountId);
    const fleet = Array.from({ length: fleetSize }, () => newId());
    const all = (what: typeof change | 'created'): Promise<unknown> =>
      Promise.all(fleet.map((id) => system.lifecycle(id, id, what)));
    await all('created');
    const waiting = [fleet[0], fleet[fleetSize / 2], fleet[fleetSize - 1]] as string[];
    for (const id of waiting)
      await eventually(async () => {
        const path = `/v2/device-requests/${id}?async-id=${id}`;
        const { status } = await system.call(proxy, app, 'POST', path, { method: 'GET', uri: '/3/0/0' });
        expect(status).toBe(202);
      });
    const before = await transactions();
    await all(change);
    for (const id of waiting)
      expect((await system.result(id)).value).toMatchObject({ outcome: 'failed', item: { status: 429, error } });
    expect((await transactions()) - before).toBeLessThan(fleetSize / 2);
  });
});
