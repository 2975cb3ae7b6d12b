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

  it('get their answers, and when none is under way the next ones begin with a Map of their own', () => {
    const queue = open();
    const answered: number[] = [];
    const ask = (correlationId: number): void => {
      const entry = { correlationId, resolve: () => answered.push(correlationId), reject: () => undefined };
      queue.push({ entry, expectResponse: true, sendRequest: () => undefined });
    };
    const answer = (correlationId: number): void =>
      queue.fulfillRequest({ correlationId, size: 0, payload: Buffer.alloc(0) });
    const first = queue.inflight;
    ask(1);
    ask(2);
    answer(1);
    expect([queue.inflight === first, answered]).toEqual([true, [1]]);
    answer(2);
    expect([queue.inflight === first, answered]).toEqual([false, [1, 2]]);
    ask(3);
    answer(3);
    expect(answered).toEqual([1, 2, 3]);
  });
});
