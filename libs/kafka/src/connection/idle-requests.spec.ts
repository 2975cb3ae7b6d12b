import { describe, expect, it } from '@jest/globals';
import { eventually } from '@lanyard/testing';
import { RequestQueue } from './idle-requests.js';

const logger = { debug: () => undefined, warn: () => undefined };

describe('the requests of a connection', () => {
  const open = (): InstanceType<typeof RequestQueue> => new RequestQueue({ maxInFlightRequests: null, logger });

  it('are not looked for when none waits', () => {
    const queue = open();
    queue.checkPendingRequests();
    expect(queue.throttleCheckTimeoutId).toBeNull();
  });

  it('leave when the pause that the broker asked for is over', async () => {
    const queue = open();
    const askedAtMs = Date.now();
    queue.maybeThrottle(20);
    const leftAtMs = await new Promise<number>((left) => {
      const entry = { correlationId: 1, resolve: () => undefined, reject: () => undefined };
      queue.push({ entry, expectResponse: false, sendRequest: () => left(Date.now()) });
    });
    expect(leftAtMs - askedAtMs).toBeGreaterThanOrEqual(20);
    expect(queue.pending).toEqual([]);
    await eventually(() => expect(queue.throttleCheckTimeoutId).toBeNull());
  });
});
