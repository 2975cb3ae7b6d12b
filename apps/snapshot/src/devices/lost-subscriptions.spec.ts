import { describe, expect, it } from '@jest/globals';
import { systemClock } from '@lanyard/service';
import { HeldQueries } from '@lanyard/testing';
import type { DataSource } from 'typeorm';
import { LostSubscriptions } from './lost-subscriptions.js';

describe('the list of lost subscriptions', () => {
  it('ten lists of one account hold five places at the database; one of another begins', async () => {
    const queries = new HeldQueries();
    const subscriptions = new LostSubscriptions(queries as unknown as DataSource, systemClock);
    const list = (accountId: string): Promise<unknown> =>
      subscriptions.list(accountId, { limit: 50, after: null, order: 'ASC', includeTotal: false, filters: [] });
    expect(await queries.begunByTenAndOne(list)).toEqual([5, 6]);
  });
});
