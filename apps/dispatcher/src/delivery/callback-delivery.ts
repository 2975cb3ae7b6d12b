import { type Clock, type Logger, LOGGER } from '@lanyard/service';
import { Inject, Injectable } from '@nestjs/common';
import { PendingKeyChanges } from '../keys/pending-key-changes.js';
import { failedDeliveryMaxMs } from '../limits.js';
import type { Batch } from '../queue/batch.js';
import {
  type Acked,
  ChannelQueue,
  type Claim,
  type Confirmed,
  type Given,
  type GivenChannel,
  type Hold,
  type TakenChannel,
  type Taking,
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
  goesOn(tookMs: number): boolean;
}

interface Ahead {
  batch: Batch;
  provenAtMs: number;
}

/** Delivers one callback channel at a time to its URL: claim, send, confirm, and on with the next batch. */
@Injectable()
export class CallbackDelivery {
  private readonly failedListeners: ((channelId: string) => Promise<void>)[] = [];
  private readonly underWay = new Map<string, { token: string; given?: Given }>();

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
    return this.deliverHeld(claim.hold, () => this.deliverClaimed(claim, claimedAtMs, turn));
  }

  /** To take a channel with what is being appended to it. undefined: claim it when it is due. */
  taking(channelId: string): Taking | undefined {
    const revision = this.targets.revisionOf(channelId);
    if (revision === undefined || this.keyChanges.has(channelId)) return undefined;
    return this.queue.taking(channelId, revision);
  }

  /** Like `deliver`, of a channel that was taken. */
  async deliverTaken(taken: TakenChannel, turn: Turn): Promise<boolean> {
    const { hold, provenAtMs } = taken.taking;
    return this.deliverHeld(hold, () => this.deliverClaimed(this.queue.taken(taken), provenAtMs, turn));
  }

  /** Events came for a channel that this replica has. */
  give({ channelId, given }: GivenChannel): void {
    const held = this.underWay.get(channelId);
    if (held?.token === given.token) held.given = given;
  }

  /** Nothing is sent of a channel that was taken. */
  async giveBack({ taking }: TakenChannel): Promise<boolean> {
    await this.queue.letGo(taking.hold);
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
      await this.queue.letGo(hold);
      return true;
    } finally {
      if (this.underWay.get(channelId)?.token === token) this.underWay.delete(channelId);
    }
  }

  private async deliverClaimed(claim: Claim, claimedAtMs: number, turn: Turn): Promise<boolean> {
    const { hold } = claim;
    const target = this.targets.targetOf(hold.channelId, claim);
    if (!target) return this.failed(claim, claim.batch, claim.attempt + 1);
    let { batch } = claim;
    let provenAtMs = claimedAtMs;
    let confirming: Promise<Confirmed> | undefined;
    for (let n = 1; ; n++) {
      const sentAtMs = performance.now();
      const sent = await this.requests.send(claim, target, batch, provenAtMs, turn.signal);
      const isItsTurn = turn.goesOn(performance.now() - sentAtMs);
      const before = await confirming;
      if (before?.held === false) return false;
      if (!sent.ok && sent.cause === 'withdrawn') return this.queue.letGo(hold);
      if (!sent.ok && sent.cause === 'aborted') return this.queue.letGo(hold, batch.to);
      if (!sent.ok) return this.failed(claim, batch, n === 1 ? claim.attempt + 1 : 1);
      const waitMs: number = batch.count < smallBatchEvents ? turn.lingerMs : 0;
      const isToStop = before?.goesOn === false || this.keyChanges.has(hold.channelId);
      const mayGoOn: boolean = isItsTurn && waitMs === 0 && !isToStop;
      const ahead: Ahead | undefined = mayGoOn ? this.ahead(hold, batch) : undefined;
      confirming = ahead && this.confirm(claim, batch);
      // It is awaited later, after the next request.
      confirming?.catch(() => undefined);
      if (ahead) {
        ({ batch, provenAtMs } = ahead);
        continue;
      }
      provenAtMs = performance.now();
      const acked = await this.acknowledge(claim, batch, mayGoOn, waitMs);
      if (acked.outcome !== 'next') return acked.outcome === 'released' && acked.more;
      ({ batch } = acked);
    }
  }

  /** What was given meanwhile. It is sent while the batch before it is being confirmed: no more than one ahead. */
  private ahead(hold: Hold, { to }: Batch): Ahead | undefined {
    const given = this.underWay.get(hold.channelId)?.given;
    const batch = given && this.queue.takeGiven(hold, to, given);
    return batch && { batch, provenAtMs: given.provenAtMs };
  }

  private async confirm({ hold, revision }: Claim, batch: Batch): Promise<Confirmed> {
    const confirmed = await this.queue.confirm(hold, batch, revision);
    if (confirmed.held) this.telemetry.delivered('callback', batch.count);
    return confirmed;
  }

  private async acknowledge(claim: Claim, sent: Batch, mayGoOn: boolean, waitMs: number): Promise<Acked> {
    const { hold, revision } = claim;
    const acked = await this.queue.ack(hold, sent, mayGoOn ? 'next' : 'release', waitMs, revision);
    if (acked.outcome !== 'fenced') this.telemetry.delivered('callback', sent.count);
    return acked;
  }

  private async failed({ hold, revision }: Claim, batch: Batch, failures: number): Promise<boolean> {
    const failed = await this.queue.fail(hold, batch, retryWaitMs(failures), revision);
    if (failed.outcome === 'fenced') return false;
    this.logger.debug({ channelId: hold.channelId, failures }, 'callback failed');
    if (this.clock.now() - failed.failingSinceMs >= failedDeliveryMaxMs)
      await Promise.all(this.failedListeners.map((listener) => listener(hold.channelId)));
    return true;
  }
}
