import { type CoapClock } from '../timing/clock.js';
import { type TimerWheel } from '../timing/timer-wheel.js';

export interface TableBounds {
  entriesMax: number;
  /** Sum of the sizes given to `set`; default unbounded. */
  bytesMax?: number;
  /** An entry is forgotten after this time without a `set`. */
  idleMs: number;
}

interface Entry<V> {
  value: V;
  bytes: number;
  expiresAtMs: number;
}

/** A map that cannot outgrow its bounds: the entry that was set longest ago makes room, and all of them expire. */
export class BoundedTable<K, V> {
  /** In the order of `set`, which with one idle time for all is also the order of expiry. */
  private readonly entries = new Map<K, Entry<V>>();
  private heldBytes = 0;
  private sweeping = false;

  constructor(
    private readonly bounds: TableBounds,
    private readonly clock: CoapClock,
    private readonly timers: TimerWheel,
  ) {}

  get size(): number {
    return this.entries.size;
  }

  get bytes(): number {
    return this.heldBytes;
  }

  get(key: K): V | undefined {
    const entry = this.entries.get(key);
    return entry === undefined || entry.expiresAtMs <= this.clock.nowMs() ? undefined : entry.value;
  }

  set(key: K, value: V, bytes = 0): void {
    this.delete(key);
    this.entries.set(key, { value, bytes, expiresAtMs: this.clock.nowMs() + this.bounds.idleMs });
    this.heldBytes += bytes;
    this.makeRoom();
    this.sweepLater();
  }

  delete(key: K): void {
    const entry = this.entries.get(key);
    if (entry === undefined) return;
    this.heldBytes -= entry.bytes;
    this.entries.delete(key);
  }

  clear(): void {
    this.entries.clear();
    this.heldBytes = 0;
  }

  private makeRoom(): void {
    const bytesMax = this.bounds.bytesMax ?? Infinity;
    while (this.entries.size > this.bounds.entriesMax || this.heldBytes > bytesMax) {
      this.delete(this.entries.keys().next().value as K);
    }
  }

  private sweepLater(): void {
    if (this.sweeping) return;
    this.sweeping = true;
    this.timers.schedule(this.bounds.idleMs, () => this.sweep());
  }

  private sweep(): void {
    this.sweeping = false;
    const now = this.clock.nowMs();
    for (const [key, entry] of this.entries) {
      if (entry.expiresAtMs > now) {
        this.sweepLater();
        return;
      }
      this.delete(key);
    }
  }
}
