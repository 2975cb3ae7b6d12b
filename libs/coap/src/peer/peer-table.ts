import { type CoapError, PeerForgotten, QueueFull } from '../errors.js';
import { type CoapClock } from '../timing/clock.js';
import { type TimerWheel } from '../timing/timer-wheel.js';
import { EXCHANGE_LIFETIME_MS } from '../timing/transmission-parameters.js';
import { PeerState } from './peer-state.js';
import { type Peer } from '../messages/peer.js';

/** Peers with state. Kept peers stay until they are forgotten, the others until they have been idle for a while. */
export class PeerTable {
  private readonly states = new Map<Peer['key'], PeerState>();
  private readonly unkept = new Set<PeerState>();
  private sweeping = false;

  constructor(
    private readonly unkeptMax: number,
    private readonly clock: CoapClock,
    private readonly timers: TimerWheel,
    private readonly onRemoved: (state: PeerState) => void,
  ) {}

  get size(): number {
    return this.states.size;
  }

  get keptSize(): number {
    return this.states.size - this.unkept.size;
  }

  all(): Iterable<PeerState> {
    return this.states.values();
  }

  get(key: Peer['key']): PeerState | undefined {
    return this.states.get(key);
  }

  /** @throws QueueFull when the table is full of peers in use */
  obtain(peer: Peer): PeerState {
    const known = this.states.get(peer.key);
    if (known !== undefined) return known;
    if (this.unkept.size >= this.unkeptMax) this.evictIdle();
    const state = new PeerState(peer, this.clock.nowMs());
    this.states.set(peer.key, state);
    this.unkept.add(state);
    this.sweepLater();
    return state;
  }

  keep(peer: Peer): PeerState {
    const state = this.states.get(peer.key) ?? new PeerState(peer, this.clock.nowMs());
    state.kept = true;
    this.states.set(peer.key, state);
    this.unkept.delete(state);
    return state;
  }

  forget(peer: Peer): void {
    const state = this.states.get(peer.key);
    if (state !== undefined) this.remove(state, new PeerForgotten());
  }

  abandonAll(error: CoapError): void {
    for (const state of [...this.states.values()]) this.remove(state, error);
  }

  private remove(state: PeerState, error: CoapError): void {
    this.states.delete(state.peer.key);
    this.unkept.delete(state);
    state.abandon(error);
    this.onRemoved(state);
  }

  private evictIdle(): void {
    for (const state of this.unkept) {
      if (!state.idle) continue;
      this.remove(state, new PeerForgotten());
      return;
    }
    throw new QueueFull('Too many peers in use');
  }

  private sweepLater(): void {
    if (this.sweeping) return;
    this.sweeping = true;
    this.timers.schedule(EXCHANGE_LIFETIME_MS, () => this.sweep());
  }

  /** A message id must not be used again during the exchange lifetime, so its counter lives that long. */
  private sweep(): void {
    this.sweeping = false;
    const deadline = this.clock.nowMs() - EXCHANGE_LIFETIME_MS;
    for (const state of this.unkept) {
      if (state.idle && state.lastUsedMs <= deadline) this.remove(state, new PeerForgotten());
    }
    if (this.unkept.size > 0) this.sweepLater();
  }
}
