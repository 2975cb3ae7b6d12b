import { setMaxListeners } from 'node:events';
import { type Clock, type Logger, LOGGER, type Timer } from '@lanyard/service';
import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import type { ChannelClaimer } from '../queue/append-outcome.js';
import { ChannelQueue, type ClaimedChannel, type ClaimOffer } from '../queue/channel-queue.js';
import { SharedClock } from '../queue/shared-clock.js';
import { Holders } from '../replicas/holders.js';
import { CallbackDelivery, type Turn } from './callback-delivery.js';
import { DeliverySlots, slowAfterMs } from './delivery-slots.js';
import { DueChannels } from './due-channels.js';

/** How often a replica looks for work that other replicas left, while it is busy. */
const pollMs = 100;

/**
 * Time until a channel that could not be claimed is tried again: Redis may refuse changes while its disk is full or one
 * of its replicas is away.
 */
export const claimRetryDelayMs = 1_000;

/** How long a slow channel is postponed, to make room for others in the list of due channels. */
const postponeMs = 1_000;

/**
 * While others wait for a slot, a channel that always has more to send releases its slot after this many batches, and as soon as
 * its requests have taken `slowAfterMs` together: otherwise channels that are just quick enough would have it many times longer.
 */
const batchesInARow = 16;

/** How long a stop waits for requests under way. */
const drainMs = 3_000;

/**
 * Finds callback channels that are due and delivers as many of them at once as there are slots, one request per channel. A
 * channel with an empty queue is claimed by the append that fills it, as long as there is room.
 * Also wakes sockets and polls whose channel got something.
 */
@Injectable()
export class ReadyLoop implements ChannelClaimer, OnApplicationBootstrap {
  private readonly aborting = new AbortController();
  private nextCheck: Timer | undefined;
  private checking: Promise<void> | undefined;
  private checkAgain = false;
  /** There were more due channels than slots. */
  private isCrowded = false;
  /** Channels that could not be claimed a moment ago. They occupy no slot: channels on another node of a cluster may still be claimable. */
  private readonly resting = new Set<string>();
  private stopped = false;

  constructor(
    private readonly channels: DueChannels,
    private readonly queue: ChannelQueue,
    private readonly delivery: CallbackDelivery,
    private readonly slots: DeliverySlots,
    private readonly holders: Holders,
    @Inject(SharedClock) private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  onApplicationBootstrap(): void {
    // Every request under way listens to this signal.
    setMaxListeners(0, this.aborting.signal);
    this.checkNow();
  }

  /** Looks for due channels, or looks once more after the check that is under way. */
  checkNow(): void {
    if (this.stopped) return;
    if (this.checking) {
      this.checkAgain = true;
      return;
    }
    this.nextCheck?.cancel();
    this.checking = this.check().then((waitMs) => {
      this.checking = undefined;
      if (this.stopped) return;
      if (!this.checkAgain) {
        this.nextCheck = this.clock.after(waitMs, () => this.checkNow());
        return;
      }
      this.checkAgain = false;
      this.checkNow();
    });
  }

  offer(channelId: string): ClaimOffer | undefined {
    if (this.stopped) return undefined;
    const offer = this.delivery.offer(channelId);
    return offer && this.slots.reserve(channelId) ? offer : undefined;
  }

  withdraw({ hold }: ClaimOffer): void {
    this.slots.releaseReservation(hold.channelId);
  }

  /** Delivers a channel that an append claimed by an offer, or releases it after a stop. */
  deliverClaimed(claimed: ClaimedChannel): void {
    const { channelId } = claimed.offer.hold;
    // An earlier delivery may still be finding out that the channel is not due any more.
    const before = this.slots.deliveryEnd(channelId);
    this.withdraw(claimed.offer);
    this.deliver(channelId, async (turn) => {
      await before;
      if (this.stopped) return this.delivery.release(claimed);
      return this.delivery.deliverClaimed(claimed, turn);
    });
  }

  /** Claims nothing more, waits a while for requests to end, and releases the rest. */
  async stop(): Promise<void> {
    this.stopped = true;
    this.nextCheck?.cancel();
    await this.checking;
    const all = Promise.all(this.slots.deliveryEnds());
    const drained = new AbortController();
    await Promise.race([all, this.clock.sleep(drainMs, drained.signal)]);
    drained.abort();
    this.aborting.abort();
    await all;
  }

  /**
   * Wakes sockets and polls whose channel got something, and begins to deliver due callback channels. Resolves with the
   * milliseconds until the next check, unless `checkNow` is called before.
   */
  private async check(): Promise<number> {
    try {
      const { due, isCrowded, held, nextInMs } = await this.channels.find(this.slots.free, this.resting);
      this.isCrowded = isCrowded;
      for (const channelId of held) this.holders.wake(channelId);
      for (const channelId of due) this.begin(channelId);
      const isBusy = this.slots.size > 0 || this.isCrowded || held.length > 0;
      return isBusy ? Math.min(pollMs, nextInMs) : nextInMs;
    } catch (err) {
      this.logger.debug({ err }, 'due items could not be read from Redis');
      return pollMs;
    }
  }

  private begin(channelId: string): void {
    if (this.slots.has(channelId) || this.resting.has(channelId)) return;
    // An append may have reserved the slot since free slots were counted.
    if (this.slots.free === 0) {
      this.isCrowded = true;
      return;
    }
    if (this.slots.mustWait(channelId)) return this.postpone(channelId);
    this.deliver(channelId, (turn) => this.delivery.deliver(channelId, turn));
  }

  private postpone(channelId: string): void {
    this.queue
      .postpone(channelId, postponeMs)
      .catch((err: unknown) => this.logger.debug({ err, channelId }, 'not postponed'));
  }

  /** `work` resolves with whether there is more to send. */
  private deliver(channelId: string, work: (turn: Turn) => Promise<boolean>): void {
    const lingerMs = this.slots.lingerMs();
    let [requests, usedMs] = [0, 0];
    const mayContinue = (tookMs: number): boolean => {
      this.slots.answered(channelId, tookMs);
      usedMs += tookMs;
      const isLongTurn = ++requests >= batchesInARow;
      if (this.isCrowded) return !this.stopped && !isLongTurn && usedMs <= slowAfterMs;
      return !this.stopped && (tookMs <= slowAfterMs || !isLongTurn);
    };
    const delivery = work({ signal: this.aborting.signal, lingerMs, mayContinue })
      .catch((err: unknown) => {
        this.logger.warn({ err, channelId }, 'delivery interrupted');
        this.pauseClaims(channelId);
        return false;
      })
      .then((isMore) => {
        if (isMore || this.isCrowded || lingerMs > 0) this.clock.after(lingerMs, () => this.checkNow());
      });
    this.slots.add(channelId, delivery);
  }

  private pauseClaims(channelId: string): void {
    this.resting.add(channelId);
    void this.clock.sleep(claimRetryDelayMs, this.aborting.signal).then(() => {
      this.resting.delete(channelId);
      this.checkNow();
    });
  }
}
