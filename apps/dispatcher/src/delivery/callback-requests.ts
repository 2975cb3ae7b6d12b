import type { Clock } from '@lanyard/service';
import { Inject, Injectable } from '@nestjs/common';
import { failureReasonOf, type SendFailure } from '../callback-client/callback-exchange.js';
import { CallbackSender, type CallbackTarget, type SendPermit, type Sent } from '../callback-client/callback-sender.js';
import { messageIdOf, signatureHeaders } from '../callback-client/signature.js';
import { PendingKeyChanges } from '../keys/pending-key-changes.js';
import type { EventBatch } from '../queue/event-batch.js';
import { ChannelQueue, type Claim, type Hold } from '../queue/channel-queue.js';
import { SharedClock } from '../queue/shared-clock.js';
import { BodyBuffers } from './body-buffers.js';
import { LastMessages } from './last-messages.js';
import { Telemetry } from './telemetry.js';

/** For this long after claiming a channel, a replica sends without asking again: short, as a process may be suspended at any point. */
const provenMs = 1_000;
const proofsMax = 3;

/** Failures that are not the application's. */
const endedHere: ReadonlySet<SendFailure> = new Set(['aborted', 'withdrawn']);

interface CallbackRequest {
  claim: Claim;
  target: CallbackTarget;
  batch: EventBatch;
  /** When the channel was last known to be held by this replica, by the monotonic time of this process. */
  provenAtMs: number;
}

/** Makes the request that carries a batch to its URL. */
@Injectable()
export class CallbackRequests {
  constructor(
    private readonly queue: ChannelQueue,
    private readonly sender: CallbackSender,
    private readonly bodies: BodyBuffers,
    @Inject(SharedClock) private readonly clock: Clock,
    @Inject(PendingKeyChanges) private readonly keyChanges: Pick<PendingKeyChanges, 'has'>,
    private readonly telemetry: Telemetry,
    @Inject(LastMessages) private readonly last: Pick<LastMessages, 'add'>,
  ) {}

  /** Never rejects. */
  async send({ claim, target, batch, provenAtMs }: CallbackRequest, signal: AbortSignal): Promise<Sent> {
    const { channelId } = claim.hold;
    const body = this.bodies.bodyOf(batch.message);
    const headers = this.signature(claim.hold, target, batch, body.bytes);
    const message = { body: body.bytes, headers, permit: this.permit(claim, provenAtMs) };
    const sent = await this.sender.send(channelId, target, message, signal);
    body.done(sent.bodyLeft);
    this.telemetry.request(sent.ok ? 'ok' : sent.cause);
    if (sent.ok) this.telemetry.sent('callback', channelId, batch.message);
    if (sent.ok || !endedHere.has(sent.cause))
      this.last.add(channelId, batch, sent.ok ? 'accepted' : failureReasonOf(sent));
    return sent;
  }

  /**
   * Between learning that this replica holds the channel and writing to its URL, time may have passed: a connection was opened,
   * or this process stood still. Then Redis is asked again, until its answer is recent enough.
   */
  private permit({ hold, revision }: Claim, sinceMs: number): SendPermit {
    let provenAtMs = sinceMs;
    const holds = (): boolean => performance.now() - provenAtMs < provenMs && !this.keyChanges.has(hold.channelId);
    const renew = async (): Promise<boolean> => {
      for (let proofs = 0; proofs < proofsMax && !this.keyChanges.has(hold.channelId); proofs++) {
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
    { from, to }: EventBatch,
    body: Buffer,
  ): Record<string, string> {
    if (!signing) return {};
    const id = messageIdOf(channelId, signing, { from, to, body });
    return signatureHeaders(signing, id, this.clock.now(), body);
  }

  /** Closes the connections of the channel. */
  forget(channelId: string): void {
    this.sender.forget(channelId);
  }
}
