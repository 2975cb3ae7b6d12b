import { type CoapClock } from '../timing/clock.js';
import { type TimerWheel } from '../timing/timer-wheel.js';

export interface TableBounds {
  entriesMax: number;
  /** Limit for the sum of the sizes given to `set`; default: none. */
  bytesMax?: number;
  /** An entry is forgotten after this time without a `set`. */
  idleMs: number;
  /** Entries of one group, and the sum of their sizes. Only `hasRoom` checks these limits, `set` does not; default: no limit. */
  perGroupMax?: number;
  perGroupBytesMax?: number;
}

interface Entry<V> {
  value: V;
  group: string | undefined;
  bytes: number;
  expiresAtMs: number;
}

interface Group {
  entries: number;
  bytes: number;
}

/**
 * A map that cannot outgrow its limits: the entry that was set longest ago is evicted, and all entries expire. If entries have
 * groups, the group with most loses its oldest entry, so that no group pushes out the entries of others.
 */
export class BoundedTable<K, V> {
  /** In the order of `set`, which is also the order of expiry, because all entries have one idle time. */
  private readonly entries = new Map<K, Entry<V>>();
  private heldBytes = 0;
  private readonly groups = new Map<string, Group>();
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

  /** Whether the entry fits without evicting another one. */
  hasRoom(key: K, bytes: number, group: string): boolean {
    this.dropExpired();
    const held = this.entries.get(key);
    const { entriesMax, bytesMax = Infinity, perGroupMax = Infinity, perGroupBytesMax = Infinity } = this.bounds;
    const ofGroup = this.groups.get(group) ?? { entries: 0, bytes: 0 };
    const moreBytes = bytes - (held?.bytes ?? 0);
    if (this.heldBytes + moreBytes > bytesMax || ofGroup.bytes + moreBytes > perGroupBytesMax) return false;
    return held !== undefined || (this.entries.size < entriesMax && ofGroup.entries < perGroupMax);
  }

  set(key: K, value: V, bytes = 0, group?: string): void {
    this.delete(key);
    this.addToGroup(group, bytes);
    this.entries.set(key, { value, group, bytes, expiresAtMs: this.clock.nowMs() + this.bounds.idleMs });
    this.heldBytes += bytes;
    this.makeRoom();
    this.sweepLater();
  }

  delete(key: K): void {
    const entry = this.entries.get(key);
    if (entry === undefined) return;
    this.heldBytes -= entry.bytes;
    this.entries.delete(key);
    this.removeFromGroup(entry);
  }

  clear(): void {
    this.entries.clear();
    this.groups.clear();
    this.heldBytes = 0;
  }

  private addToGroup(name: string | undefined, bytes: number): void {
    if (name === undefined) return;
    const group = this.groups.get(name) ?? { entries: 0, bytes: 0 };
    group.entries += 1;
    group.bytes += bytes;
    this.groups.set(name, group);
  }

  private removeFromGroup({ group: name, bytes }: Entry<V>): void {
    const group = name === undefined ? undefined : this.groups.get(name);
    if (name === undefined || group === undefined) return;
    group.entries -= 1;
    group.bytes -= bytes;
    if (group.entries === 0) this.groups.delete(name);
  }

  private makeRoom(): void {
    const { entriesMax, bytesMax = Infinity } = this.bounds;
    if (this.entries.size <= entriesMax && this.heldBytes <= bytesMax) return;
    // Without groups, the entry that is evicted is the one that expires first.
    if (this.groups.size > 0) this.dropExpired();
    while (this.entries.size > entriesMax) this.evictFrom(this.groupWithMost('entries'));
    while (this.heldBytes > bytesMax) this.evictFrom(this.groupWithMost('bytes'));
  }

  /** Undefined without groups. */
  private groupWithMost(what: keyof Group): string | undefined {
    let most: string | undefined;
    let max = 0;
    for (const [name, group] of this.groups) {
      if (group[what] <= max) continue;
      most = name;
      max = group[what];
    }
    return most;
  }

  private evictFrom(group: string | undefined): void {
    for (const [key, entry] of this.entries) {
      if (entry.group !== group) continue;
      this.delete(key);
      return;
    }
  }

  private sweepLater(): void {
    if (this.sweeping) return;
    this.sweeping = true;
    this.timers.schedule(this.bounds.idleMs, () => this.sweep());
  }

  private sweep(): void {
    this.sweeping = false;
    this.dropExpired();
    if (this.entries.size > 0) this.sweepLater();
  }

  private dropExpired(): void {
    const now = this.clock.nowMs();
    for (const [key, entry] of this.entries) {
      if (entry.expiresAtMs > now) return;
      this.delete(key);
    }
  }
}
