import { describe, expect, it } from '@jest/globals';
import { HeldQueries } from '@lanyard/testing';
import type { AccountQuotasReader } from './account-quotas.reader.js';
import { DeviceQuotas } from './device-quotas.js';

describe('additions of devices', () => {
  const quotas = new DeviceQuotas({
    get: (accountId: string) => (accountId === 'limited' ? 10 : undefined),
  } as unknown as AccountQuotasReader);

  it.each([
    ['limited', 1],
    ['unlimited', 10],
  ])('to an account that is %s hold %i connections', async (accountId, connections) => {
    const transactions = new HeldQueries();
    const additions = Array.from({ length: 10 }, () => quotas.runInTurn(accountId, transactions.query));
    await new Promise(setImmediate);
    expect(transactions.count).toBe(connections);
    await transactions.endAll();
    expect(await Promise.all(additions)).toHaveLength(10);
  });
});
