import { createRequire } from 'node:module';
import { afterEach, describe, expect, it } from '@jest/globals';
import { endsWithin } from '@lanyard/service';
import { eventually, patienceMs } from '@lanyard/testing';
import { replaceIdlePolling } from './idle-requests.js';

interface Queue {
  readonly pending: readonly unknown[];
  readonly throttleCheckTimeoutId: NodeJS.Timeout | null;
  checkPendingRequests(): void;
  push(request: { entry: object; expectResponse: boolean; sendRequest: () => void }): void;
  maybeThrottle(forMs: number): void;
  scheduleRequestTimeoutCheck(): void;
  destroy(): void;
}

interface Options {
  maxInFlightRequests: null;
  logger: object;
  requestTimeout?: number;
  enforceRequestTimeout?: boolean;
}

type QueueClass = new (options: Options) => Queue;

const RequestQueue = createRequire(import.meta.url)('kafkajs/src/network/requestQueue/index.js') as QueueClass;

const logger = { debug: () => undefined, warn: () => undefined };

describe('the requests of a connection', () => {
  const open = (): Queue => new RequestQueue({ maxInFlightRequests: null, logger });
  const openWithTimeout = (): Queue => {
    const options = { maxInFlightRequests: null, logger, requestTimeout: 50, enforceRequestTimeout: true };
    const queue = new RequestQueue(options);
    queue.scheduleRequestTimeoutCheck();
    return queue;
  };

  /** Resolves when a request leaves. */
  const leaving = (queue: Queue): Promise<number> =>
    new Promise((left) => {
      const entry = { correlationId: 1, resolve: () => undefined, reject: () => undefined };
      queue.push({ entry, expectResponse: false, sendRequest: () => left(performance.now()) });
    });

  /** Resolves with the error of a request that is never answered. */
  const losing = (queue: Queue): Promise<Error> =>
    new Promise((reject) => {
      const entry = { correlationId: 1, resolve: () => undefined, reject };
      queue.push({ entry, expectResponse: true, sendRequest: () => undefined });
    });

  it('are looked for by kafkajs when none waits', () => {
    const queue = open();
    queue.checkPendingRequests();
    expect(queue.throttleCheckTimeoutId).not.toBeNull();
    queue.destroy();
    replaceIdlePolling();
  });

  it('are not looked for when none waits', () => {
    const queue = open();
    queue.checkPendingRequests();
    expect(queue.throttleCheckTimeoutId).toBeNull();
  });

  it('leave when the pause that the broker asked for is over', async () => {
    const queue = open();
    const askedAtMs = performance.now();
    queue.maybeThrottle(20);
    const leftAtMs = await leaving(queue);
    expect(leftAtMs - askedAtMs).toBeGreaterThanOrEqual(20);
    expect(queue.pending).toEqual([]);
    await eventually(() => expect(queue.throttleCheckTimeoutId).toBeNull());
  });

  it('time out', async () => {
    const queue = openWithTimeout();
    expect((await losing(queue)).message).toMatch(/timed out/);
    queue.destroy();
  });

  describe('when the wall clock is set back an hour', () => {
    const wallClock = Date.now;
    const setBack = (): void => {
      Date.now = () => wallClock() - 3_600_000;
    };

    afterEach(() => {
      Date.now = wallClock;
    });

    it('time out as soon', async () => {
      const queue = openWithTimeout();
      const lost = losing(queue);
      setBack();
      expect(await endsWithin(patienceMs, lost)).toBe(true);
      queue.destroy();
    });

    it('leave as soon after a pause', async () => {
      const queue = open();
      queue.maybeThrottle(20);
      setBack();
      expect(await endsWithin(patienceMs, leaving(queue))).toBe(true);
      queue.destroy();
    });
  });
});
