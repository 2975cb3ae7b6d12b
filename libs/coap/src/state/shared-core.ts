import { TokenSource } from '../codec/tokens.js';
import { EndpointClosed } from '../errors.js';
import { type CoapLimits } from '../limits.js';
import { BoundedTable, type TableBounds } from '../memory/bounded-table.js';
import { type CoapClock, systemCoapClock } from '../timing/clock.js';
import { TimerWheel } from '../timing/timer-wheel.js';

/** Options of every endpoint, whatever its transport. */
export interface SharedOptions<Event extends string> {
  clock?: CoapClock;
  /** One wheel can serve many endpoints, as in a simulator of many devices. Default: a separate one on `clock`. */
  timers?: TimerWheel;
  /** Receives each event as it happens, for example to feed a metrics library. Must not throw. */
  metrics?: { count(event: Event): void };
  /**
   * Whether the body of a request to this path is passed to `onRequest` block by block instead of being reassembled: each call has
   * `block`, and its response answers that block (2.31 while more follow). A block that was sent twice arrives once.
   */
  takesBlocks?(method: number, path: readonly string[]): boolean;
  /** What the limits per address count as one: several addresses may belong to one party. Default: the address. */
  sourceOf?(address: string): string;
  /** Receives errors of handlers, for the log. */
  onHandlerError?(error: unknown): void;
}

const DRAIN_POLL_MS = 100;

/** The state that all endpoints have, whatever their transport: time, limits and counters. */
export class SharedCore<
  Event extends string,
  Options extends SharedOptions<Event>,
  Limits extends Pick<CoapLimits, 'closeTimeoutMs'>,
> {
  readonly clock: CoapClock;
  readonly timers: TimerWheel;
  readonly tokens = new TokenSource();
  readonly counters: Record<Event, number>;
  /** No new work is accepted; exchanges in flight may finish. */
  closing = false;

  constructor(
    readonly options: Options,
    readonly limits: Limits,
    events: readonly (Event | 'handler-error')[],
  ) {
    this.clock = options.clock ?? systemCoapClock;
    this.timers = options.timers ?? new TimerWheel(this.clock);
    this.counters = Object.fromEntries(events.map((event) => [event, 0])) as Record<Event, number>;
  }

  table<K, V>(bounds: TableBounds): BoundedTable<K, V> {
    return new BoundedTable<K, V>(bounds, this.clock, this.timers);
  }

  /** What the limits per address count the address as. */
  sourceOf(address: string): string {
    return this.options.sourceOf?.(address) ?? address;
  }

  count(event: Event): void {
    this.counters[event] += 1;
    this.options.metrics?.count(event);
  }

  /** An error that a handler threw. The protocol is not affected. */
  report(error: unknown): void {
    this.count('handler-error' as Event);
    try {
      this.options.onHandlerError?.(error);
    } catch {
      this.count('handler-error' as Event);
    }
  }

  /** Calls the application where its errors would otherwise be uncaught; returns `otherwise` if it throws. */
  guarded<T>(call: () => T, otherwise: T): T {
    try {
      return call();
    } catch (error) {
      this.report(error);
      return otherwise;
    }
  }

  /** Resolves when nothing is in flight any more, or after `closeTimeoutMs` at the latest. */
  async drained(isBusy: () => boolean): Promise<void> {
    const deadline = this.clock.nowMs() + this.limits.closeTimeoutMs;
    while (isBusy() && this.clock.nowMs() < deadline)
      await new Promise<void>((resolve) => this.timers.schedule(DRAIN_POLL_MS, resolve));
  }

  /** Stops the timers, unless other endpoints use the wheel as well. */
  stopTimers(): void {
    if (this.options.timers === undefined) this.timers.clear();
  }

  /** @throws EndpointClosed */
  assertOpen(): void {
    if (this.closing) throw new EndpointClosed();
  }
}
