import { createRequire } from 'node:module';

/** State of a kafkajs connection: requests that wait because the broker throttles, or too many are in flight. */
interface RequestQueue {
  /** By number. */
  inflight: Map<number, unknown>;
  readonly pending: readonly unknown[];
  /** By the clock of the wall, in ms; -1: no pause was asked for. */
  readonly throttledUntil: number;
  throttleCheckTimeoutId: NodeJS.Timeout | null;
  checkPendingRequests(): void;
  scheduleCheckPendingRequests(): void;
  fulfillRequest(response: { correlationId: number; size: number; payload: Buffer }): void;
}

export type RequestQueueClass = new (options: {
  maxInFlightRequests: number | null;
  logger: Record<'debug' | 'warn', () => void>;
}) => RequestQueue & {
  push(request: { entry: object; expectResponse: boolean; sendRequest: () => void }): void;
  maybeThrottle(forMs: number): void;
  destroy(): void;
};

/** When a broker asked for no pause: an answer makes room sooner. */
const lookAgainMs = 10;

export const RequestQueue = createRequire(import.meta.url)(
  'kafkajs/src/network/requestQueue/index.js',
) as RequestQueueClass;

/**
 * kafkajs looks every millisecond, on each connection, for requests that wait, also when there are none: an idle process
 * took 4 % of a core for it (kafkajs issue 1704). Now it looks while some wait.
 */
(RequestQueue.prototype as RequestQueue).scheduleCheckPendingRequests = function (this: RequestQueue) {
  if (this.throttleCheckTimeoutId || this.pending.length === 0) return;
  const pauseMs = this.throttledUntil - Date.now();
  this.throttleCheckTimeoutId = setTimeout(
    () => {
      this.throttleCheckTimeoutId = null;
      this.checkPendingRequests();
    },
    pauseMs > 0 ? pauseMs : lookAgainMs,
  );
};

const { prototype } = RequestQueue as { prototype: RequestQueue };
const fulfill = prototype.fulfillRequest;

/**
 * Requests come and go in one Map. Every table that V8's Map outgrows points to the one after it: once one of them was old,
 * it kept all requests after it, with what was sent, until the next full collection of garbage. An empty one is replaced.
 */
prototype.fulfillRequest = function (this: RequestQueue, response) {
  fulfill.call(this, response);
  if (this.inflight.size === 0) this.inflight = new Map();
};
