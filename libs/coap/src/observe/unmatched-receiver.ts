import { received } from '../blockwise/body-download.js';
import { type EndpointCore } from '../endpoint/core.js';
import { type IncomingResponse } from '../exchange/pending-request.js';
import { type PeerState } from '../peer/peer-state.js';
import { type Peer } from '../peer/peer.js';
import { notificationOf } from './observer.js';

/** Responses that belong to nothing here: the application may know them, otherwise the peer is told to stop. */
export class UnmatchedReceiver {
  constructor(private readonly core: EndpointCore) {}

  /** The message is no duplicate. Never rejects. */
  async receive(response: IncomingResponse, peer: Peer, state: PeerState | undefined): Promise<void> {
    const { message } = response;
    const hook = this.core.options.onNotification;
    if (hook === undefined) {
      this.refuse(response, peer, state);
      return;
    }
    if (!this.core.inFlight.hasRoom(peer, 'notification')) {
      this.core.count('notification-refused-by-limit');
      return;
    }
    const inFlight = this.core.inFlight.begin(peer, message.messageId, 'notification');
    try {
      const verdict = await hook.call(this.core.options, unmatched(response, peer));
      const current = this.core.peers.get(peer.key);
      if (verdict === 'rejected') this.refuse(response, peer, current);
      else {
        this.core.count('notification-accepted');
        this.core.acknowledge(message, peer, current);
      }
    } catch (error) {
      this.core.count('notification-rejected');
      this.core.report(error);
    } finally {
      this.core.inFlight.end(peer, inFlight);
    }
  }

  private refuse({ message }: IncomingResponse, peer: Peer, state: PeerState | undefined): void {
    this.core.count('response-unmatched-reset');
    this.core.reset(message, peer, state);
  }
}

function unmatched(response: IncomingResponse, peer: Peer): ReturnType<typeof notificationOf> {
  const { message, options } = response;
  const partial = options.block2 !== undefined && (options.block2 === 'reserved-size' || options.block2.more);
  return notificationOf(peer, message.token, received(response, message.payload), { message, ended: false, partial });
}
