import type { Clock } from '@lanyard/service';

/** A request longer than this makes its channel slow; slow ones never get more than this share of the places. */
export const slowAfterMs = 1_000;
const slowShare = 0.75;

/** When there are more, all are forgotten: who is slow still is so again after its next request. */
const slowMax = 10_000;

/**
 * A request costs what hundreds of events do. So with this many channels under way for each millisecond, a channel
 * waits a little for more events after a small batch; one of few goes on at once.
 */
const channelsPerLingerMs = 4;
const lingerMaxMs = 25;

/** How often it is counted who waits for an answer that does not come. */
const countMs = 100;

interface Delivery {
  done: Promise<void>;
  /** Its request, or the one before, was answered. */
  answeredAtMs: number;
}

/** The channels that a replica delivers to, and how fast each of them answers. */
export class UnderWay {
  private readonly deliveries = new Map<string, Delivery>();
  private readonly slow = new Set<string>();
  private stuck = 0;
  private countedAtMs = 0;

  constructor(
    private readonly clock: Clock,
    readonly places: number,
  ) {}

  get size(): number {
    return this.deliveries.size;
  }

  get isFull(): boolean {
    return this.deliveries.size >= this.places;
  }

  has(channelId: string): boolean {
    return this.deliveries.has(channelId);
  }

  isSlow(channelId: string): boolean {
    return this.slow.has(channelId);
  }

  /** Resolves when the channel's delivery is over; undefined when there is none. */
  end(channelId: string): Promise<void> | undefined {
    return this.deliveries.get(channelId)?.done;
  }

  ends(): Promise<void>[] {
    return [...this.deliveries.values()].map(({ done }) => done);
  }

  /** `done` never rejects. A delivery of the same channel that has not ended is not counted any more. */
  add(channelId: string, done: Promise<void>): void {
    const delivery = { done, answeredAtMs: this.clock.now() };
    this.deliveries.set(channelId, delivery);
    void done.then(() => {
      if (this.deliveries.get(channelId) === delivery) this.deliveries.delete(channelId);
    });
  }

  /** A request of the channel was answered, or given up. */
  answered(channelId: string): void {
    const delivery = this.deliveries.get(channelId);
    if (delivery) delivery.answeredAtMs = this.clock.now();
  }

  /** The channel's delivery is over; its longest request took this long. */
  judge(channelId: string, slowestMs: number): void {
    if (slowestMs <= slowAfterMs) return void this.slow.delete(channelId);
    if (this.slow.size >= slowMax) this.slow.clear();
    this.slow.add(channelId);
  }

  /** A slow channel has to leave a place to others. */
  mustWait(channelId: string): boolean {
    if (!this.slow.has(channelId)) return false;
    let count = 0;
    for (const other of this.deliveries.keys()) if (this.slow.has(other)) count++;
    return count >= this.places * slowShare;
  }

  /** How long a channel waits for more after a small batch. Who waits for its receiver takes nothing of this machine. */
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
      if (this.slow.has(channelId) || now - answeredAtMs > slowAfterMs) this.stuck++;
    return this.stuck;
  }
}
