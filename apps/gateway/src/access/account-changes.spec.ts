import { describe, expect, it } from '@jest/globals';
import type { AuditTrail, Outbox } from '@lanyard/kafka';
import { HeldQueries, TestClock } from '@lanyard/testing';
import type { DataSource } from 'typeorm';
import type { KnownKeys } from '../authentication/known-keys.js';
import { AccountChanges } from './account-changes.js';

describe('changes of accounts', () => {
  it('of one account hold one connection; one of another begins', async () => {
    const transactions = new HeldQueries();
    const changes = new AccountChanges(
      { transaction: transactions.query } as unknown as DataSource,
      {} as unknown as Outbox,
      {} as unknown as AuditTrail,
      {} as unknown as KnownKeys,
      new TestClock(),
    );
    const change = (accountId: string): Promise<unknown> => changes.locked(accountId, () => Promise.resolve(undefined));
    expect(await transactions.begunByTenAndOne(change)).toEqual([1, 2]);
  });
});
