import { systemClock, type Timer } from '@lanyard/service';
import { privateModule } from './modules.js';

interface SentRequest {
  /** By the wall clock, in ms. */
  readonly sentAt: number;
  readonly requestTimeout: number;
  timeoutRequest(): void;
}

/** Requests of a kafkajs connection: those in flight, and those that wait because of the others or because the broker throttles. */
interface RequestQueue {
  readonly inflight: ReadonlyMap<number, SentRequest>;
  readonly enforceRequestTimeout: boolean;
  readonly isConnected: () => boolean;
  readonly pending: readonly unknown[];
  /** By the wall clock, in ms; -1: no pause was asked for. */
  readonly throttledUntil: number;
  throttleCheckTimeoutId: NodeJS.Timeout | null;
  checkPendingRequests(): void;
  scheduleCheckPendingRequests(): void;
  scheduleRequestTimeoutCheck(): void;
  /** Ends both kinds of checks. */
  destroy(): void;
}

/** When waiting requests are checked again if the broker asked for no pause; usually an answer makes room sooner. */
const recheckDelayMs = 10;

/** How late a request times out, at most. */
const timeoutCheckMs = 1_000;

/** One timer for all connections: it wakes up the process once, not once for each of them. */
class OverdueRequests {
  private readonly queues = new Set<RequestQueue>();
  private timer: Timer | undefined;

  watch(queue: RequestQueue): void {
    this.queues.add(queue);
    this.timer ??= systemClock.every(timeoutCheckMs, () => this.timeOutOverdue());
  }

  forget(queue: RequestQueue): void {
    this.queues.delete(queue);
    if (this.queues.size > 0) return;
    this.timer?.cancel();
    this.timer = undefined;
  }

  private timeOutOverdue(): void {
    const nowMs = Date.now();
    for (const queue of this.queues) {
      for (const request of queue.inflight.values())
        if (nowMs - request.sentAt > request.requestTimeout) request.timeoutRequest();
      if (!queue.isConnected()) queue.destroy();
    }
  }
}

const overdueRequests = new OverdueRequests();

/**
 * kafkajs looks every millisecond, on each connection, for requests that wait, also when there are none (kafkajs issue
 * 1704), and every 100 ms for requests that have taken too long. Now it looks for the former only while some wait, and for
 * the latter every second, on all connections at once.
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
      pauseMs > 0 ? pauseMs : recheckDelayMs,
    );
  };
  prototype.scheduleRequestTimeoutCheck = function () {
    if (this.enforceRequestTimeout) overdueRequests.watch(this);
  };
  prototype.destroy = function () {
    overdueRequests.forget(this);
    clearTimeout(this.throttleCheckTimeoutId ?? undefined);
    this.throttleCheckTimeoutId = null;
  };
};
