import { systemClock, type Timer } from '@lanyard/service';
import { privateModule } from './modules.js';

interface SentRequest {
  readonly requestTimeout: number;
  timeoutRequest(): void;
}

/** Requests of a kafkajs connection: those in flight, and those that wait because of the others or because the broker throttles. */
interface RequestQueue {
  readonly inflight: ReadonlyMap<number, SentRequest>;
  /** null or undefined: no limit. */
  readonly maxInFlightRequests: number | null | undefined;
  readonly enforceRequestTimeout: boolean;
  readonly isConnected: () => boolean;
  readonly pending: readonly unknown[];
  /** By the clock of the process, in ms; -1: no pause was asked for. */
  throttledUntil: number;
  throttleCheckTimeoutId: NodeJS.Timeout | null;
  /** Called after each answer. null, undefined or 0: the broker asks for no pause. */
  maybeThrottle(pauseMs: number | null | undefined): void;
  canSendSocketRequestImmediately(): boolean;
  checkPendingRequests(): void;
  scheduleCheckPendingRequests(): void;
  scheduleRequestTimeoutCheck(): void;
  /** Ends both kinds of checks. */
  destroy(): void;
}

/** When waiting requests are checked again if the broker asked for no pause; usually an answer makes room sooner. */
const recheckDelayMs = 10;

/** How often requests in flight are checked: one times out at most two such periods late. */
const timeoutCheckMs = 1_000;

/** One timer for all connections: it wakes up the process once, not once for each of them. */
class OverdueRequests {
  private readonly queues = new Set<RequestQueue>();
  /** When a check first found a request in flight, by the clock of the process: the wall clock may be set at any time. */
  private readonly foundAtMs = new WeakMap<SentRequest, number>();
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
    const nowMs = performance.now();
    for (const queue of this.queues) {
      for (const request of queue.inflight.values()) {
        const foundAtMs = this.foundAtMs.get(request);
        if (foundAtMs === undefined) this.foundAtMs.set(request, nowMs);
        else if (nowMs - foundAtMs > request.requestTimeout) request.timeoutRequest();
      }
      if (!queue.isConnected()) queue.destroy();
    }
  }
}

const overdueRequests = new OverdueRequests();

/**
 * kafkajs looks every millisecond, on each connection, for requests that wait, also when there are none (kafkajs issue
 * 1704), and every 100 ms for requests that have taken too long. Now it looks for the former only while some wait, and for
 * the latter every second, on all connections at once. It compares times of the wall clock: if that is set forward, all requests
 * time out; if it is set back an hour, a lost request and a pause that a broker asked for last an hour longer. The replacement uses
 * the clock of the process.
 */
export const replaceIdlePolling = (): void => {
  const { prototype } = privateModule('network/requestQueue/index.js') as { prototype: RequestQueue };
  prototype.maybeThrottle = function (pauseMs) {
    if (pauseMs) this.throttledUntil = Math.max(performance.now() + pauseMs, this.throttledUntil);
  };
  prototype.canSendSocketRequestImmediately = function () {
    const hasRoom = this.maxInFlightRequests == null || this.inflight.size < this.maxInFlightRequests;
    return hasRoom && performance.now() >= this.throttledUntil;
  };
  prototype.scheduleCheckPendingRequests = function () {
    if (this.throttleCheckTimeoutId || this.pending.length === 0) return;
    const pauseMs = this.throttledUntil - performance.now();
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
