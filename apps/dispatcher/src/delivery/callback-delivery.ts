import { type Logger, LOGGER } from '@lanyard/service';
import { Inject, Injectable } from '@nestjs/common';
import { PendingKeyChanges } from '../keys/pending-key-changes.js';
import { failedDeliveryMaxMs } from '../limits.js';
import type { EventBatch } from '../queue/event-batch.js';
import {
  type Acked,
  ChannelQueue,
  type Claim,
  type Hold,
  type ClaimedChannel,
  type ClaimOffer,
} from '../queue/channel-queue.js';
import { CallbackRequests } from './callback-requests.js';
import { CallbackTargets } from './callback-targets.js';
import { retryWaitMs } from './retry-schedule.js';
import { Telemetry } from './telemetry.js';

/**
 * After a batch smaller than this that emptied its queue, the channel may wait a little before the next one, so that many busy
 * channels do not send tiny batches.
 */
const smallBatchEvents = 2_000;

/** A channel whose key changed is checked at this interval, until the change is applied to the channel. */
const keyChangePendingMs = 500;

/** A place among the deliveries that are under way at once. */
export interface Turn {
  /** Ends the request under way. */
  signal: AbortSignal;
  /** How long the channel waits after a small batch. */
  lingerMs: number;
  /** Called after each request. Returns whether another one may follow if there is more to send. */
  mayContinue(tookMs: number): boolean;
}

/** Delivers one callback channel at a time to its URL: claims it, sends a batch, confirms that, and continues with the next one. */
@Injectable()
export class CallbackDelivery {
  private readonly failedListeners: ((channelId: string) => Promise<void>)[] = [];

  constructor(
    private readonly queue: ChannelQueue,
    private readonly requests: CallbackRequests,
    private readonly targets: CallbackTargets,
    @Inject(PendingKeyChanges) private readonly keyChanges: Pick<PendingKeyChanges, 'has'>,
    private readonly telemetry: Telemetry,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** Called after 24 h of failed delivery (spec §8). */
  onFailedForTooLong(listener: (channelId: string) => Promise<void>): void {
    this.failedListeners.push(listener);
  }

  /**
   * Resolves when the channel is released again: it is empty, has failed, or its turn is over. Returns whether it has more to send now.
   */
  async deliver(channelId: string, turn: Turn): Promise<boolean> {
    if (this.keyChanges.has(channelId)) {
      await this.queue.postpone(channelId, keyChangePendingMs);
      return false;
    }
    const claimedAtMs = performance.now();
    const claim = await this.queue.claim(channelId, this.targets.revisionOf(channelId) ?? '');
    if (!claim) return false;
    return this.deliverHeld(claim.hold, () => this.deliverBatches(claim, claimedAtMs, turn));
  }

  /** An offer to claim the channel in an append to it. undefined: it is claimed when it is due. */
  offer(channelId: string): ClaimOffer | undefined {
    const revision = this.targets.revisionOf(channelId);
    if (revision === undefined || this.keyChanges.has(channelId)) return undefined;
    return this.queue.offer(channelId, revision);
  }

  /** Like `deliver`, of a channel that was claimed by an append. */
  async deliverClaimed(claimed: ClaimedChannel, turn: Turn): Promise<boolean> {
    const { hold, provenAtMs } = claimed.offer;
    if (await this.queue.freeIfVoid(hold)) return true;
    return this.deliverHeld(hold, () => this.deliverBatches(this.queue.claimFrom(claimed), provenAtMs, turn));
  }

  /** Releases a channel that was claimed by an append, without sending. */
  async release({ offer }: ClaimedChannel): Promise<boolean> {
    await this.queue.release(offer.hold);
    return true;
  }

  forget(channelId: string): void {
    this.targets.forget(channelId);
    this.requests.forget(channelId);
  }

  private async deliverHeld(hold: Hold, delivery: () => Promise<boolean>): Promise<boolean> {
    try {
      return await delivery();
    } catch (err) {
      this.logger.warn({ err, channelId: hold.channelId }, 'delivery interrupted');
      await this.queue.release(hold);
      return true;
    }
  }

  private async deliverBatches(claim: Claim, claimedAtMs: number, turn: Turn): Promise<boolean> {
    const { hold } = claim;
    const target = this.targets.targetOf(hold.channelId, claim);
    if (!target) return this.failed(claim, claim.batch, claim.attempt + 1);
    let { batch } = claim;
    let provenAtMs = claimedAtMs;
    for (let n = 1; ; n++) {
      const sentAtMs = performance.now();
      const sent = await this.requests.send({ claim, target, batch, provenAtMs }, turn.signal);
      const isItsTurn = turn.mayContinue(performance.now() - sentAtMs);
      if (!sent.ok && sent.cause === 'withdrawn') return this.queue.release(hold);
      if (!sent.ok && sent.cause === 'aborted') return this.queue.release(hold, batch.to);
      if (!sent.ok) return this.failed(claim, batch, n === 1 ? claim.attempt + 1 : 1);
      const lingerMs = batch.isCut || batch.count >= smallBatchEvents ? 0 : turn.lingerMs;
      const isToContinue = isItsTurn && lingerMs === 0 && !this.keyChanges.has(hold.channelId);
      provenAtMs = performance.now();
      const acked: Acked = await this.acknowledge(claim, batch, isToContinue, lingerMs);
      if (acked.outcome !== 'next') return acked.outcome === 'released' && acked.more;
      ({ batch } = acked);
    }
  }

  private async acknowledge(claim: Claim, sent: EventBatch, isToContinue: boolean, lingerMs: number): Promise<Acked> {
    const { hold, revision } = claim;
    const mode = isToContinue ? 'next' : 'release';
    const acked = await this.storeResult(hold, sent, () => this.queue.ack(hold, sent, mode, { lingerMs, revision }));
    if (acked.outcome !== 'fenced') this.telemetry.delivered('callback', sent.count);
    return acked;
  }

  private async failed({ hold, revision }: Claim, batch: EventBatch, failures: number): Promise<boolean> {
    const waitMs = retryWaitMs(failures);
    const failed = await this.storeResult(hold, batch, () => this.queue.fail(hold, batch, waitMs, revision));
    if (failed.outcome === 'fenced') return false;
    this.logger.debug({ channelId: hold.channelId, failures }, 'callback failed');
    if (failed.failingForMs >= failedDeliveryMaxMs)
      await Promise.all(this.failedListeners.map((listener) => listener(hold.channelId)));
    return true;
  }

  /** If Redis does not accept the result of a batch, the channel is released and the batch is sent again unchanged. */
  private async storeResult<T>(hold: Hold, sent: EventBatch, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      await this.queue.release(hold, sent.to);
      throw error;
    }
  }
}
