import { privateModule } from './modules.js';

/** State of a kafkajs connection: requests that wait because the broker throttles, or too many are in flight. */
interface RequestQueue {
  readonly pending: readonly unknown[];
  /** By the clock of the wall, in ms; -1: no pause was asked for. */
  readonly throttledUntil: number;
  throttleCheckTimeoutId: NodeJS.Timeout | null;
  checkPendingRequests(): void;
  scheduleCheckPendingRequests(): void;
}

/** When a broker asked for no pause: an answer makes room sooner. */
const lookAgainMs = 10;

/**
 * kafkajs looks every millisecond, on each connection, for requests that wait, also when there are none (kafkajs issue
 * 1704). Now it looks while some wait.
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
};
