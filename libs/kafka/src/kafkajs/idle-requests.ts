import { privateModule } from './modules.js';

interface SentRequest {
  /** By the clock of the wall, in ms. */
  readonly sentAt: number;
  readonly requestTimeout: number;
  timeoutRequest(): void;
}

/** Requests of a kafkajs connection: those in flight, and those that wait because of the others or because the broker throttles. */
interface RequestQueue {
  readonly inflight: ReadonlyMap<number, SentRequest>;
  /** In ms. */
  readonly requestTimeout: number;
  readonly enforceRequestTimeout: boolean;
  requestTimeoutIntervalId: NodeJS.Timeout | undefined;
  readonly isConnected: () => boolean;
  readonly pending: readonly unknown[];
  /** By the clock of the wall, in ms; -1: no pause was asked for. */
  readonly throttledUntil: number;
  throttleCheckTimeoutId: NodeJS.Timeout | null;
  checkPendingRequests(): void;
  scheduleCheckPendingRequests(): void;
  scheduleRequestTimeoutCheck(): void;
  /** Ends both kinds of looking. */
  destroy(): void;
}

/** When a broker asked for no pause: an answer makes room sooner. */
const lookAgainMs = 10;

/** How late a request times out, at most. */
const timeoutCheckMs = 1_000;

/**
 * kafkajs looks every millisecond, on each connection, for requests that wait, also when there are none (kafkajs issue
 * 1704), and every 100 ms for requests that have taken too long. Now it looks for the former only while some wait, and for
 * the latter every second.
 */
export const replaceIdlePolling = (): void => {
  const { prototype } = privateModule('network/requestQueue/index.js') as { prototype: RequestQueue };
  prototype.scheduleCheckPendingRequests = function () {
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
  prototype.scheduleRequestTimeoutCheck = function () {
    if (!this.enforceRequestTimeout) return;
    this.destroy();
    this.requestTimeoutIntervalId = setInterval(
      () => {
        const nowMs = Date.now();
        for (const request of this.inflight.values())
          if (nowMs - request.sentAt > request.requestTimeout) request.timeoutRequest();
        if (!this.isConnected()) this.destroy();
      },
      Math.min(this.requestTimeout, timeoutCheckMs),
    );
  };
};
