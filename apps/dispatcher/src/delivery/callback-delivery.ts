import { type Clock, type Logger, LOGGER } from '@lanyard/service';
import { Inject, Injectable } from '@nestjs/common';
import { PendingKeyChanges } from '../keys/pending-key-changes.js';
import { failedDeliveryMaxMs } from '../limits.js';
import type { EventBatch } from '../queue/event-batch.js';
import {
  type Acked,
  ChannelQueue,
  type Claim,
  type Confirmed,
  type PushPermit,
  type PushedChannel,
  type Hold,
  type ClaimedChannel,
  type ClaimOffer,
} from '../queue/channel-queue.js';
import { SharedClock } from '../queue/shared-clock.js';
import { CallbackRequests } from './callback-requests.js';
import { CallbackTargets } from './callback-targets.js';
import { retryWaitMs } from './retry-schedule.js';
import { Telemetry } from './telemetry.js';

/** After a batch smaller than this, the next one may wait a little, so that many busy channels do not send crumbs. */
const smallBatchEvents = 2_000;

/** How often a channel is looked at whose key changed, until that is carried over to it. */
const undecidedMs = 500;

/** A place among the deliveries that are under way at once. */
export interface Turn {
  /** Ends the request under way. */
  signal: AbortSignal;
  /** How long the channel waits after a small batch. */
  lingerMs: number;
  /** Told of each request. Whether another may follow, should there be more to send. */
  mayContinue(tookMs: number): boolean;
}

interface Ahead {
  batch: EventBatch;
  provenAtMs: number;
}

/** Delivers one callback channel at a time to its URL: claim, send, confirm, and on with the next batch. */
@Injectable()
export class CallbackDelivery {
  private readonly failedListeners: ((channelId: string) => Promise<void>)[] = [];
  private readonly underWay = new Map<string, { token: string; permit?: PushPermit }>();

  constructor(
    private readonly queue: ChannelQueue,
    private readonly requests: CallbackRequests,
    private readonly targets: CallbackTargets,
    @Inject(PendingKeyChanges) private readonly keyChanges: Pick<PendingKeyChanges, 'has'>,
    private readonly telemetry: Telemetry,
    @Inject(SharedClock) private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** Called after 24 h of failed delivery (spec §8). */
  onFailedForTooLong(listener: (channelId: string) => Promise<void>): void {
    this.failedListeners.push(listener);
  }

  /**
   * Resolves when the channel is released again: empty, failed, or its turn is over. Whether it has more to send now.
   */
  async deliver(channelId: string, turn: Turn): Promise<boolean> {
    if (this.keyChanges.has(channelId)) {
      await this.queue.postpone(channelId, undecidedMs);
      return false;
    }
    const claimedAtMs = performance.now();
    const claim = await this.queue.claim(channelId, this.targets.revisionOf(channelId) ?? '');
    if (!claim) return false;
    return this.deliverHeld(claim.hold, () => this.deliverBatches(claim, claimedAtMs, turn));
  }

  /** Offers to claim the channel in the append to it. undefined: claim it when it is due. */
  offer(channelId: string): ClaimOffer | undefined {
    const revision = this.targets.revisionOf(channelId);
    if (revision === undefined || this.keyChanges.has(channelId)) return undefined;
    return this.queue.offer(channelId, revision);
  }

  /** Like `deliver`, of a channel that was claimed by an append. */
  async deliverClaimed(claimed: ClaimedChannel, turn: Turn): Promise<boolean> {
    const { hold, provenAtMs } = claimed.offer;
    return this.deliverHeld(hold, () => this.deliverBatches(this.queue.claimFrom(claimed), provenAtMs, turn));
  }

  /** Events were appended to a channel that this replica holds. */
  push({ channelId, permit }: PushedChannel): void {
    const held = this.underWay.get(channelId);
    if (held?.token === permit.token) held.permit = permit;
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
    const { channelId, token } = hold;
    this.underWay.set(channelId, { token });
    try {
      return await delivery();
    } catch (err) {
      this.logger.warn({ err, channelId }, 'delivery interrupted');
      await this.queue.release(hold);
      return true;
    } finally {
      if (this.underWay.get(channelId)?.token === token) this.underWay.delete(channelId);
    }
  }

  private async deliverBatches(claim: Claim, claimedAtMs: number, turn: Turn): Promise<boolean> {
    const { hold } = claim;
    const target = this.targets.targetOf(hold.channelId, claim);
    if (!target) return this.failed(claim, claim.batch, claim.attempt + 1);
    let { batch } = claim;
    let provenAtMs = claimedAtMs;
    let confirming: Promise<Confirmed> | undefined;
    for (let n = 1; ; n++) {
      const sentAtMs = performance.now();
      const sent = await this.requests.send(claim, target, batch, provenAtMs, turn.signal);
      const isItsTurn = turn.mayContinue(performance.now() - sentAtMs);
      const before = await confirming;
      if (before?.held === false) return false;
      if (!sent.ok && sent.cause === 'withdrawn') return this.queue.release(hold);
      if (!sent.ok && sent.cause === 'aborted') return this.queue.release(hold, batch.to);
      if (!sent.ok) return this.failed(claim, batch, n === 1 ? claim.attempt + 1 : 1);
      const waitMs: number = batch.count < smallBatchEvents ? turn.lingerMs : 0;
      const isToStop = before?.mayContinue === false || this.keyChanges.has(hold.channelId);
      const isToContinue: boolean = isItsTurn && waitMs === 0 && !isToStop;
      const ahead: Ahead | undefined = isToContinue ? this.ahead(hold, batch) : undefined;
      confirming = ahead && this.confirm(claim, batch);
      // It is awaited later, after the next request.
      confirming?.catch(() => undefined);
      if (ahead) {
        ({ batch, provenAtMs } = ahead);
        continue;
      }
      provenAtMs = performance.now();
      const acked = await this.acknowledge(claim, batch, isToContinue, waitMs);
      if (acked.outcome !== 'next') return acked.outcome === 'released' && acked.more;
      ({ batch } = acked);
    }
  }

  /** What was pushed meanwhile. It is sent while the batch before it is being confirmed: no more than one ahead. */
  private ahead(hold: Hold, { to }: EventBatch): Ahead | undefined {
    const permit = this.underWay.get(hold.channelId)?.permit;
    const batch = permit && this.queue.readPushed(hold, to, permit);
    return batch && { batch, provenAtMs: permit.provenAtMs };
  }

  private async confirm({ hold, revision }: Claim, batch: EventBatch): Promise<Confirmed> {
    const confirmed = await this.queue.confirm(hold, batch, revision);
    if (confirmed.held) this.telemetry.delivered('callback', batch.count);
    return confirmed;
  }

  private async acknowledge(claim: Claim, sent: EventBatch, isToContinue: boolean, waitMs: number): Promise<Acked> {
    const { hold, revision } = claim;
    const acked = await this.queue.ack(hold, sent, isToContinue ? 'next' : 'release', waitMs, revision);
    if (acked.outcome !== 'fenced') this.telemetry.delivered('callback', sent.count);
    return acked;
  }

  private async failed({ hold, revision }: Claim, batch: EventBatch, failures: number): Promise<boolean> {
    const failed = await this.queue.fail(hold, batch, retryWaitMs(failures), revision);
    if (failed.outcome === 'fenced') return false;
    this.logger.debug({ channelId: hold.channelId, failures }, 'callback failed');
    if (this.clock.now() - failed.failingSinceMs >= failedDeliveryMaxMs)
      await Promise.all(this.failedListeners.map((listener) => listener(hold.channelId)));
    return true;
  }
}
