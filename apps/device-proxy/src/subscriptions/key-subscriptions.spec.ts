import { describe, expect, it } from '@jest/globals';
import { type ListQuery, newId } from '@lanyard/service';
import { HeldQueries } from '@lanyard/testing';
import type { DataSource } from 'typeorm';
import { KeyHasNoSubscriptions } from '../errors.js';
import type { Rules } from '../presubscriptions/rules.js';
import { SubscriptionsOfKeys } from './key-subscriptions.js';
import type { Subscriptions } from './subscriptions.js';

describe('the subscriptions of a key', () => {
  it('ten requests of one account hold five places at the database; one of another begins', async () => {
    const queries = new HeldQueries();
    const subscriptions = new SubscriptionsOfKeys(
      queries as unknown as DataSource,
      {} as unknown as Subscriptions,
      {} as unknown as Rules,
    );
    const get = (accountId: string): Promise<unknown> =>
      expect(subscriptions.get(accountId, newId())).rejects.toThrow(KeyHasNoSubscriptions);
    expect(await queries.begunByTenAndOne(get)).toEqual([5, 6]);
  });

  it('are listed again if all on a page are removed before they are read: clients continue after its last item', async () => {
    const rows = ['a', 'b', 'c'].map((id) => ({ id, bytes: 0 }));
    const answers = [rows, [], rows.slice(2), rows.slice(2)];
    const subscriptions = new SubscriptionsOfKeys(
      { query: () => Promise.resolve(answers.shift() ?? []) } as unknown as DataSource,
      {} as unknown as Subscriptions,
      {} as unknown as Rules,
    );
    const query: ListQuery = { limit: 2, after: null, order: 'ASC', includeTotal: false, filters: [] };
    const page = await subscriptions.list(newId(), query);
    expect(page).toMatchObject({ data: [{ id: 'c' }], has_more: false });
  });
});
