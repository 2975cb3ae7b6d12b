import { cutBlock, withEtag } from '../blockwise/answer-block.js';
import { blockBytes, szxOf } from '../codec/block-value.js';
import { encodeMessage } from '../codec/encode.js';
import { type CoapMessage } from '../codec/message.js';
import { notificationResponse, writeResponseOptions } from '../codec/response-options.js';
import { type EndpointCore } from '../state/core.js';
import { type PeerState } from '../peer/peer-state.js';
import { type Peer } from '../messages/peer.js';
import { type NotifyOutcome, type OutgoingNotification } from '../messages/notification.js';

/** The observed side: sends notifications. */
export class Notifier {
  constructor(private readonly core: EndpointCore) {}

  notify(peer: Peer, notification: OutgoingNotification): Promise<NotifyOutcome> {
    try {
      this.core.assertOpen();
      const state = this.core.peers.obtain(peer);
      if (!notification.confirmable) return Promise.resolve(this.sendOnce(state, notification));
      return state.queue.run(() => this.transmit(state, notification), this.core.limits.queuedPerPeerMax);
    } catch (error) {
      return Promise.reject(error as Error);
    }
  }

  private sendOnce(state: PeerState, notification: OutgoingNotification): NotifyOutcome {
    const messageId = this.core.messageIdFor(state);
    state.rememberResettable(messageId, notification.token);
    this.core.send(state.peer, this.encode('NON', messageId, notification));
    return 'sent';
  }

  private transmit(state: PeerState, notification: OutgoingNotification): Promise<NotifyOutcome> {
    return new Promise((resolve, reject) => {
      if (state.gone !== undefined) throw state.gone;
      const messageId = this.core.messageIdFor(state);
      const bytes = this.encode('CON', messageId, notification);
      state.abandonNotification = reject;
      this.core.transmit(state, messageId, bytes, notification, (outcome) => {
        state.abandonNotification = undefined;
        resolve(outcome);
      });
    });
  }

  /** A large notification contains its first block; the observer fetches the other blocks from the resource. */
  private encode(type: CoapMessage['type'], messageId: number, notification: OutgoingNotification): Buffer {
    const { token, payload } = notification;
    const response = notificationResponse(notification);
    const { code } = response;
    const szx = szxOf(this.core.limits.blockBytes);
    if (payload.length <= blockBytes(szx)) {
      return encodeMessage({ type, code, messageId, token, options: writeResponseOptions(response, {}), payload });
    }
    const cut = cutBlock(withEtag(response), { num: 0, szx })!;
    const options = writeResponseOptions(cut.response, { block2: cut.block2, size2: cut.size2 });
    return encodeMessage({ type, code, messageId, token, options, payload: cut.response.payload! });
  }
}
