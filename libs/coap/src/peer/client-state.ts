import { type CoapError } from '../errors.js';
import { type Observed } from './observation-entry.js';
import { type PendingRequest, type ResponseMessage } from './pending-request.js';
import { PeerQueue } from './peer-queue.js';

const nothingPending: readonly never[] = [];

/** One peer in our client role, over any transport: the requests to it, and our observations of it. */
export class ClientState<Entry extends Observed, Response extends ResponseMessage> {
  readonly queue = new PeerQueue();
  /** By `tokenKey`. */
  observations: Map<string, Entry> | undefined;
  /** Set when this state was dropped; code that still holds a reference must stop. */
  gone: CoapError | undefined;
  /** At most two: a request, and a block of a notification. */
  private pending: readonly PendingRequest<Response>[] = nothingPending;

  pendingByMessageId(messageId: number): PendingRequest<Response> | undefined {
    return this.pending.find((one) => one.messageId === messageId);
  }

  pendingByToken(token: Buffer): PendingRequest<Response> | undefined {
    return this.pending.find((one) => one.token.equals(token));
  }

  beginRequest(request: PendingRequest<Response>): void {
    this.pending = this.pending.concat(request);
  }

  endRequest(request: PendingRequest<Response>): void {
    const left = this.pending.filter((one) => one !== request);
    this.pending = left.length === 0 ? nothingPending : left;
  }

  /**
   * Rejects everything that waits for this peer.
   * @param ofSent The error for requests that have already been sent.
   */
  abandonRequests(error: CoapError, ofSent = error): void {
    this.queue.abandon(error);
    for (const request of this.pending) request.finish(ofSent);
  }
}
