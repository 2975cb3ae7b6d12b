import { describe, expect, it } from '@jest/globals';
import { withSubscriptions } from './subscribed-paths.js';

const resource = (path: string) => ({ path, is_subscription: false });
const subscription = (path: string) => ({ path, is_subscription: true });

const shown = (...rows: { path: string; is_subscription: boolean }[]): [string, boolean][] =>
  withSubscriptions(rows).map(({ path, subscribed }) => [path, subscribed]);

describe('the subscriptions in a snapshot', () => {
  it.each(['/3303', '/3303/0', '/3303/0/5700', '/3303/0/5700/1'])('to %s covers what is below it', (path) => {
    expect(shown(resource('/3303/0/5700/1'), subscription(path))).toEqual([['/3303/0/5700/1', true]]);
  });

  it.each(['/330', '/3303/1', '/3303/0/57', '/3303/0/5700/1'])(
    'to %s covers no other resource, and is shown',
    (path) => {
      expect(shown(subscription(path), resource('/3303/0/5700'))).toEqual([
        ['/3303/0/5700', false],
        [path, true],
      ]);
    },
  );

  it('are looked up, not compared with each resource', () => {
    let reads = 0;
    const counted = (row: { path: string; is_subscription: boolean }) => ({
      is_subscription: row.is_subscription,
      get path() {
        reads++;
        return row.path;
      },
    });
    const numbers = Array.from({ length: 1_000 }, (_, n) => n);
    const resources = numbers.map((n) => counted(resource(`/3303/${n}/5700`)));
    const subscriptions = numbers.map((n) => counted(subscription(`/3304/${n}/5700`)));
    expect(withSubscriptions([...resources, ...subscriptions])).toHaveLength(2_000);
    expect(reads).toBeLessThan(10_000);
  });
});
