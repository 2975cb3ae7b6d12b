import { describe, expect, it } from '@jest/globals';
import { newId } from '@lanyard/service';
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
});
