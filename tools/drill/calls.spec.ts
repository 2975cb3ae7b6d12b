import { describe, expect, it } from '@jest/globals';
import { Calls } from './calls.ts';

describe('calls of a drill', () => {
  it('count in the step in which they end: a failure is not lost with the step of their beginning', async () => {
    const calls = new Calls({ gateways: ['http://127.0.0.1:1'], key: 'ak_1' }, { deviceIds: [], groupId: '' });
    let fail: (error: Error) => void = () => undefined;
    const ended = calls.counted(() => new Promise((_, reject) => (fail = reject)));
    expect(calls.takeTally()).toMatchObject({ calls: 0, failed: 0 });
    fail(new Error('away'));
    await ended;
    const { problems, ...tally } = calls.takeTally();
    expect(tally).toMatchObject({ calls: 1, failed: 1 });
    expect([...problems]).toEqual([['Error: away', 1]]);
  });
});
