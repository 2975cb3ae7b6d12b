import { expect, it } from '@jest/globals';
import type { DataSource } from 'typeorm';
import { SubscriptionBatcher } from './subscription-batcher.js';
import type { NewSubscription, SubscriptionStore } from './subscription-store.js';

/** This many paths of a device, as rules ask for them. */
const asked = (deviceId: string, paths: number): NewSubscription[] =>
  Array.from({ length: paths }, (_, n) => ({
    ...{ deviceId, path: `/3303/${n}/5700`, keyId: 'key', accountId: 'account' },
    origin: 'presubscription' as const,
  }));

it('a device for which rules ask for thousands of paths shares no transaction with others', async () => {
  const transactions: (readonly string[])[] = [];
  const manager = {
    query: (_sql: string, [devices]: [readonly string[]]): Promise<unknown> => {
      transactions.push(devices);
      const failure = new Error('canceling statement due to statement timeout');
      return devices.includes('large') ? Promise.reject(failure) : Promise.resolve([]);
    },
  };
  const dataSource = { transaction: (work: (given: typeof manager) => Promise<unknown>) => work(manager) };
  const nothing = (): Promise<void> => Promise.resolve();
  const store = { loseByRules: nothing, askByRules: nothing, confirmAll: nothing };
  const batcher = new SubscriptionBatcher(dataSource as unknown as DataSource, store as unknown as SubscriptionStore);
  const written = await Promise.allSettled([
    batcher.write({ deviceId: 'one', asked: asked('one', 10) }),
    batcher.write({ deviceId: 'large', asked: asked('large', 5_000) }),
    batcher.write({ deviceId: 'two', confirmed: '/3303/0/5700' }),
  ]);
  expect(written.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  expect(transactions).toEqual([['one', 'two'], ['large']]);
});
