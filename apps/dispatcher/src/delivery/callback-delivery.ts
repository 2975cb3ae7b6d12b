import type { Clock, Logger } from '@lanyard/service';
import { failedDeliveryMaxMs } from '../limits.js';
import type { NotificationMessage } from '../messages/notification-message.js';
import type { Batch } from '../queue/batch.js';
import type {
  Acked,
  ChannelQueue,
  Claim,
  Confirmed,
  Given,
  GivenChannel,
  Hold,
  TakenChannel,
  Taking,
} from '../queue/channel-queue.js';
import type { BodyBuffers } from './body-buffers.js';
import type { CallbackSender, CallbackTarget, Leave, Sent } from '../callback-client/callback-sender.js';
import { retryWaitMs } from './retry-schedule.js';
import { messageIdOf, signatureHeaders } from '../callback-client/signature.js';
import type { Telemetry } from './telemetry.js';

/** After a batch smaller than this, the next one may wait a little, so that many busy channels do not send crumbs. */
const smallBatchEvents = 2_000;

/** Targets remembered; a channel that is not among them costs some bytes more per claim. */
const rememberedTargets = 10_000;

/** Who claimed a channel this long ago, or less, sends without asking again. A process may stand still at any place. */
const provenMs = 1_000;
const proofsMax = 3;

/** How often a channel is looked at whose key changed, until that is carried over to it. */
const undecidedMs = 500;

export interface DeliveryOutcomes {
  /** Its key changed, and it is not decided yet whether it may be called. */
  isUndecided(channelId: string): boolean;
  /** 24 h of failed delivery (spec §8). */
  onFailedForTooLong(channelId: string): Promise<void>;
  unseal(sealed: string): CallbackTarget;
  /** The URL took a message. */
  onSent?(channelId: string, message: NotificationMessage): void;
}

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
export class CallbackDelivery {
  private readonly targets = new Map<string, { revision: string; target: CallbackTarget }>();
  private readonly underWay = new Map<string, { token: string; given?: Given }>();

  constructor(
    private readonly queue: ChannelQueue,
    private readonly sender: CallbackSender,
    private readonly bodies: BodyBuffers,
    private readonly clock: Clock,
    private readonly telemetry: Telemetry,
    private readonly logger: Logger,
    private readonly outcomes: DeliveryOutcomes,
  ) {}

  /**
   * Resolves when the channel is released again: empty, failed, or its turn is over. Whether it has more to send now.
   */
  async deliver(channelId: string, turn: Turn): Promise<boolean> {
    if (this.outcomes.isUndecided(channelId)) {
      await this.queue.postpone(channelId, undecidedMs);
      return false;
    }
    const claimedAtMs = performance.now();
    const claim = await this.queue.claim(channelId, this.targets.get(channelId)?.revision ?? '');
    if (!claim) return false;
    return this.deliverHeld(claim.hold, () => this.deliverClaimed(claim, claimedAtMs, turn));
  }

  /** To take a channel with what is being appended to it. undefined: claim it when it is due. */
  taking(channelId: string): Taking | undefined {
    const known = this.targets.get(channelId);
    if (!known || this.outcomes.isUndecided(channelId)) return undefined;
    return this.queue.taking(channelId, known.revision);
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
    this.targets.delete(channelId);
    this.sender.forget(channelId);
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
    const target = this.targetOf(hold.channelId, claim);
    if (!target) return this.failed(claim, claim.batch, claim.attempt + 1);
    let { batch } = claim;
    let provenAtMs = claimedAtMs;
    let confirming: Promise<Confirmed> | undefined;
    for (let n = 1; ; n++) {
      const sentAtMs = performance.now();
      const sent = await this.send(claim, target, batch, provenAtMs, turn.signal);
      const isItsTurn = turn.goesOn(performance.now() - sentAtMs);
      const before = await confirming;
      if (before?.held === false) return false;
      if (!sent.ok && sent.cause === 'withdrawn') return this.queue.letGo(hold);
      if (!sent.ok && sent.cause === 'aborted') return this.queue.letGo(hold, batch.to);
      if (!sent.ok) return this.failed(claim, batch, n === 1 ? claim.attempt + 1 : 1);
      const waitMs: number = batch.count < smallBatchEvents ? turn.lingerMs : 0;
      const isToStop = before?.goesOn === false || this.outcomes.isUndecided(hold.channelId);
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

  private async send(
    claim: Claim,
    target: CallbackTarget,
    batch: Batch,
    provenAtMs: number,
    signal: AbortSignal,
  ): Promise<Sent> {
    const { channelId } = claim.hold;
    const body = this.bodies.of(batch.message);
    const headers = this.signature(claim.hold, target, batch, body.bytes);
    const message = { body: body.bytes, headers, leave: this.leave(claim, provenAtMs) };
    const isOver = this.bodies.budget.begin(body.bytes.length);
    const sent = await this.sender.send(channelId, target, message, signal).finally(isOver);
    if (sent.bodyLeft) body.left();
    this.telemetry.request(sent.ok ? 'ok' : sent.cause);
    if (sent.ok) this.outcomes.onSent?.(channelId, batch.message);
    return sent;
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

  /**
   * Between learning that the channel is ours and writing to its URL, time may have passed: a connection was opened,
   * or this process stood still. Then it is asked again, until the answer is young.
   */
  private leave({ hold, revision }: Claim, sinceMs: number): Leave {
    let provenAtMs = sinceMs;
    const holds = (): boolean =>
      performance.now() - provenAtMs < provenMs && !this.outcomes.isUndecided(hold.channelId);
    const renew = async (): Promise<boolean> => {
      for (let proofs = 0; proofs < proofsMax && !this.outcomes.isUndecided(hold.channelId); proofs++) {
        provenAtMs = performance.now();
        if (!(await this.queue.holds(hold, revision))) return false;
        if (holds()) return true;
      }
      return false;
    };
    return { holds, renew };
  }

  private signature(
    { channelId }: Hold,
    { signing }: CallbackTarget,
    { from, to }: Batch,
    body: Buffer,
  ): Record<string, string> {
    if (!signing) return {};
    const id = messageIdOf(channelId, signing, { from, to, body });
    return signatureHeaders(signing, id, this.clock.now(), body);
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
      await this.outcomes.onFailedForTooLong(hold.channelId);
    return true;
  }

  /** undefined when it cannot be read: sealed with a key that this replica does not have. */
  private targetOf(channelId: string, { revision, target }: Claim): CallbackTarget | undefined {
    const known = this.targets.get(channelId);
    if (known && known.revision === revision) return known.target;
    if (this.targets.size > rememberedTargets) this.targets.clear();
    try {
      const unsealed = this.outcomes.unseal(target);
      this.targets.set(channelId, { revision, target: unsealed });
      return unsealed;
    } catch (err) {
      this.logger.error({ err, channelId }, 'callback target cannot be unsealed');
      return undefined;
    }
  }
}
