import { type Clock, KeyedCounts } from '@lanyard/service';

/** A request longer than this makes its channel slow. */
export const slowAfterMs = 1_000;

/**
 * A slow channel gets a slot only while the channels that are not known to be quick occupy less than this share of the slots,
 * and a channel that was not measured yet while they occupy less than the larger share: many slow ones do not delay a new one.
 */
const slowShare = 0.625;
const unmeasuredShare = 0.75;

/** When more channels than this were measured, all results are forgotten; each channel is measured again by its next request. */
const measuredMax = 100_000;

/**
 * A request costs as much as hundreds of events. So after a small batch, a channel waits a little for more events: one
 * millisecond per this many channels under way. With only a few under way, it continues at once.
 */
const channelsPerLingerMs = 4;
const lingerMaxMs = 25;

/** How often the deliveries that are waiting for a late answer are counted. */
const countMs = 100;

interface RunningDelivery {
  done: Promise<void>;
  /** When a request of the channel was last answered. */
  answeredAtMs: number;
}

/** The channels that a replica delivers to, and how fast each of them answers. */
export class DeliverySlots {
  private readonly deliveries = new Map<string, RunningDelivery>();
  /** Whether a channel's last request was quick. */
  private readonly quick = new Map<string, boolean>();
  /** Deliveries and reservations of each channel that has a slot. */
  private readonly occupied = new KeyedCounts();
  private stuck = 0;
  private countedAtMs = 0;

  constructor(
    private readonly clock: Clock,
    readonly slotsMax: number,
  ) {}

  get size(): number {
    return this.deliveries.size;
  }

  /** Slots that are neither occupied nor reserved. */
  get free(): number {
    return Math.max(0, this.slotsMax - this.occupied.size);
  }

  has(channelId: string): boolean {
    return this.deliveries.has(channelId);
  }

  /** Reserves a slot, its own or a free one, for a channel that an append may claim. Returns whether there was one. */
  reserve(channelId: string): boolean {
    if (this.quick.get(channelId) === false) return false;
    if (this.occupied.get(channelId) === 0 && (this.free === 0 || this.mustWait(channelId))) return false;
    this.occupied.increment(channelId);
    return true;
  }

  /** Ends a reservation: the slot is occupied now, or not needed. */
  releaseReservation(channelId: string): void {
    this.occupied.decrement(channelId);
  }

  /** Resolves when the channel's delivery is over; undefined when there is none. */
  deliveryEnd(channelId: string): Promise<void> | undefined {
    return this.deliveries.get(channelId)?.done;
  }

  deliveryEnds(): Promise<void>[] {
    return [...this.deliveries.values()].map(({ done }) => done);
  }

  /** `done` never rejects. An earlier delivery of the same channel that has not ended is not counted any more. */
  add(channelId: string, done: Promise<void>): void {
    const delivery = { done, answeredAtMs: this.clock.now() };
    this.deliveries.set(channelId, delivery);
    this.occupied.increment(channelId);
    void done.then(() => {
      this.occupied.decrement(channelId);
      if (this.deliveries.get(channelId) === delivery) this.deliveries.delete(channelId);
    });
  }

  /** A request of the channel was answered, or given up, after `tookMs`. */
  answered(channelId: string, tookMs: number): void {
    const delivery = this.deliveries.get(channelId);
    if (delivery) delivery.answeredAtMs = this.clock.now();
    if (this.quick.size >= measuredMax) this.quick.clear();
    this.quick.set(channelId, tookMs <= slowAfterMs);
  }

  /** A channel that is not known to be quick has to leave slots to those that are, and a slow one also to unmeasured ones. */
  mustWait(channelId: string): boolean {
    const isQuick = this.quick.get(channelId);
    if (isQuick === true) return false;
    let count = 0;
    for (const other of this.deliveries.keys()) if (this.quick.get(other) !== true) count++;
    return count >= this.slotsMax * (isQuick === false ? slowShare : unmeasuredShare);
  }

  /** How long a channel waits for more after a small batch. Channels that wait for their receivers cost nothing, and do not count. */
  lingerMs(): number {
    return Math.min(
      lingerMaxMs,
      Math.floor(Math.max(0, this.deliveries.size - this.stuckOnes()) / channelsPerLingerMs),
    );
  }

  private stuckOnes(): number {
    const now = this.clock.now();
    if (now - this.countedAtMs < countMs) return this.stuck;
    this.countedAtMs = now;
    this.stuck = 0;
    for (const [channelId, { answeredAtMs }] of this.deliveries)
      if (this.quick.get(channelId) === false || now - answeredAtMs > slowAfterMs) this.stuck++;
    return this.stuck;
  }
}
