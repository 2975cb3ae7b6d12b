import { type Address, addressKey, sourceOf } from '../connection/address.js';
import { type ServerHandshake } from '../handshake/server-handshake.js';
import { type DtlsLimits } from '../limits.js';
import { type DtlsClock } from '../timing/clock.js';

/** A handshake in progress, and the keys under which it is found. */
export interface PendingHandshake {
  handshake: ServerHandshake;
  remote: Address;
  /** Id of the connection that the handshake leads to, when that has a connection id. */
  id?: string;
}

interface Source {
  handshakes: number;
  /** Token bucket: handshakes that may start now. */
  allowance: number;
  refilledAtMs: number;
}

/** The handshakes in progress: one per address, with limits in total, per source, and for the rate of each source. */
export class HandshakeTable {
  private readonly byAddress = new Map<string, PendingHandshake>();
  private readonly byId = new Map<string, PendingHandshake>();
  /** In the order in which they were last seen, the earliest first. */
  private readonly sources = new Map<string, Source>();

  constructor(
    private readonly clock: DtlsClock,
    private readonly limits: DtlsLimits,
  ) {}

  get size(): number {
    return this.byAddress.size;
  }

  /** @param address As `addressKey` returns it. */
  at(address: string): PendingHandshake | undefined {
    return this.byAddress.get(address);
  }

  withId(id: string): PendingHandshake | undefined {
    return this.byId.get(id);
  }

  /** Number of handshakes from this source (see `sourceOf`). */
  countFrom({ address }: Address): number {
    return this.sources.get(sourceOf(address))?.handshakes ?? 0;
  }

  /** Whether one more handshake may start from here; if so, it counts towards the rate of its source. */
  admit(remote: Address): boolean {
    if (this.size >= this.limits.handshakesMax) return false;
    const source = this.sourceOf(remote);
    if (source.handshakes >= this.limits.handshakesPerSourceMax || source.allowance < 1) return false;
    source.allowance -= 1;
    return true;
  }

  add(pending: PendingHandshake): void {
    this.byAddress.set(addressKey(pending.remote), pending);
    this.sourceOf(pending.remote).handshakes += 1;
  }

  setId(pending: PendingHandshake, id: string): void {
    pending.id = id;
    this.byId.set(id, pending);
  }

  remove(pending: PendingHandshake): void {
    const address = addressKey(pending.remote);
    if (this.byAddress.get(address) !== pending) return;
    this.byAddress.delete(address);
    if (pending.id !== undefined) this.byId.delete(pending.id);
    const source = this.sources.get(sourceOf(pending.remote.address));
    if (source !== undefined) source.handshakes = Math.max(0, source.handshakes - 1);
  }

  all(): PendingHandshake[] {
    return [...this.byAddress.values()];
  }

  private sourceOf({ address }: Address): Source {
    const key = sourceOf(address);
    const perSecond = this.limits.handshakesPerSourcePerSecond;
    const now = this.clock.nowMs();
    const source = this.sources.get(key) ?? { handshakes: 0, allowance: perSecond, refilledAtMs: now };
    source.allowance = Math.min(perSecond, source.allowance + ((now - source.refilledAtMs) / 1_000) * perSecond);
    source.refilledAtMs = now;
    this.sources.delete(key);
    this.sources.set(key, source);
    if (this.sources.size > this.limits.sourcesMax) this.sources.delete(this.sources.keys().next().value!);
    return source;
  }
}
