import { describe, expect, it } from '@jest/globals';
import type { AuditTrail, Outbox } from '@lanyard/kafka';
import { HeldQueries, TestClock } from '@lanyard/testing';
import type { DataSource } from 'typeorm';
import type { KnownKeys } from '../authentication/known-keys.js';
import { AccountTransactions } from './account-transactions.js';

describe('transactions of accounts', () => {
  it('of one account hold one connection; one of another begins', async () => {
    const queries = new HeldQueries();
    const transactions = new AccountTransactions(
      { transaction: queries.query } as unknown as DataSource,
      {} as unknown as Outbox,
      {} as unknown as AuditTrail,
      {} as unknown as KnownKeys,
      new TestClock(),
    );
    const run = (accountId: string): Promise<unknown> =>
      transactions.locked(accountId, () => Promise.resolve(undefined));
    expect(await queries.begunByTenAndOne(run)).toEqual([1, 2]);
  });
});
