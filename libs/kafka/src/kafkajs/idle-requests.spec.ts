import { createRequire } from 'node:module';
import { describe, expect, it } from '@jest/globals';
import { eventually } from '@lanyard/testing';
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

  it('time out', async () => {
    const queue = new RequestQueue({
      maxInFlightRequests: null,
      logger,
      requestTimeout: 50,
      enforceRequestTimeout: true,
    });
    queue.scheduleRequestTimeoutCheck();
    const timedOut = await new Promise<Error>((reject) => {
      const entry = { correlationId: 1, resolve: () => undefined, reject };
      queue.push({ entry, expectResponse: true, sendRequest: () => undefined });
    });
    expect(timedOut.message).toMatch(/timed out/);
    queue.destroy();
  });
});
