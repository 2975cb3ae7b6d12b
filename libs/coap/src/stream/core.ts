import { EndpointClosed } from '../errors.js';
import { BoundedTable, type TableBounds } from '../memory/bounded-table.js';
import { TokenSource } from '../codec/tokens.js';
import { type CoapClock, systemCoapClock } from '../timing/clock.js';
import { TimerWheel } from '../timing/timer-wheel.js';
import { STREAM_EVENTS, type StreamEvent } from './events.js';
import { DEFAULT_STREAM_LIMITS, MESSAGE_OVERHEAD_BYTES, type StreamLimits } from './limits.js';
import { type CoapStreamEndpointOptions } from './options.js';

/** What all connections of one endpoint share: time, limits and counters. */
export class StreamCore {
  readonly limits: StreamLimits;
  readonly clock: CoapClock;
  readonly timers: TimerWheel;
  readonly tokens = new TokenSource();
  readonly counters = Object.fromEntries(STREAM_EVENTS.map((event) => [event, 0])) as Record<StreamEvent, number>;
  /** Handlers that run, of all connections. */
  readonly running = { requests: 0, notifications: 0 };
  incompleteBytes = 0;
  /** No new work is accepted; exchanges in flight may finish. */
  closing = false;

  constructor(readonly options: CoapStreamEndpointOptions) {
    this.limits = { ...DEFAULT_STREAM_LIMITS, ...options.limits };
    this.clock = options.clock ?? systemCoapClock;
    this.timers = options.timers ?? new TimerWheel(this.clock);
  }

  /** The Max-Message-Size of our CSM: a whole body and its frame. */
  get messageBytesMax(): number {
    return this.limits.bodyBytesMax + MESSAGE_OVERHEAD_BYTES;
  }

  table<K, V>(bounds: TableBounds): BoundedTable<K, V> {
    return new BoundedTable<K, V>(bounds, this.clock, this.timers);
  }

  count(event: StreamEvent): void {
    this.counters[event] += 1;
    this.options.metrics?.count(event);
  }

  /** An error that a handler threw. The protocol is not affected. */
  report(error: unknown): void {
    this.count('handler-error');
    try {
      this.options.onHandlerError?.(error);
    } catch {
      this.count('handler-error');
    }
  }

  /** Calls the application where its errors would otherwise be uncaught. */
  guarded<T>(call: () => T, otherwise: T): T {
    try {
      return call();
    } catch (error) {
      this.report(error);
      return otherwise;
    }
  }

  /** @throws EndpointClosed */
  assertOpen(): void {
    if (this.closing) throw new EndpointClosed();
  }
}
