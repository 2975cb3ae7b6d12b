import { receivedResponse } from '../blockwise/body-download.js';
import { type EndpointCore } from '../state/core.js';
import { type IncomingResponse } from '../peer/pending-request.js';
import { type PeerState } from '../peer/peer-state.js';
import { type Peer } from '../messages/peer.js';
import { isIncomplete, notificationOf, withoutUnusable } from './notification-of.js';
import { type DatagramObserver } from './datagram-observer.js';
import { retryNonConfirmable } from './notification-retry.js';
import { tokenKey } from '../codec/tokens.js';

const keyOf = (peer: Peer, token: Buffer): string => `${peer.key} ${tokenKey(token)}`;

/** Handles responses without a matching request: the application may know them, otherwise the peer gets a Reset. */
export class UnmatchedReceiver {
  /** Responses with one token are handled in sequence: the first may restore the observation, which then orders the others. */
  private readonly last = new Map<string, Promise<void>>();

  constructor(
    private readonly core: EndpointCore,
    private readonly observer: DatagramObserver,
  ) {}

  /**
   * Whether a response with this token is still being handled: later ones must then be handled here, too, even if their
   * observation is known by now.
   */
  awaits(peer: Peer, token: Buffer): boolean {
    return this.last.size > 0 && this.last.has(keyOf(peer, token));
  }

  /** Handles a response that is not a duplicate. Never rejects. */
  async receive(response: IncomingResponse, peer: Peer, state: PeerState | undefined): Promise<void> {
    const { token } = response.message;
    if (this.core.options.onNotification === undefined) {
      this.refuse(response, peer, state);
      return;
    }
    if (!this.core.inFlight.hasRoom(peer, state, 'notification')) {
      this.core.count('notification-refused-by-limit');
      return;
    }
    const inFlight = this.core.inFlight.begin(peer, state, response.message, 'notification');
    const end = (): void => this.core.inFlight.remove(peer, state, inFlight);
    const key = keyOf(peer, token);
    const before = this.last.get(key);
    const handling = before ? before.then(() => this.handle(response, peer, end)) : this.handle(response, peer, end);
    this.last.set(key, handling);
    await handling;
    if (this.last.get(key) === handling) this.last.delete(key);
  }

  private async handle(response: IncomingResponse, peer: Peer, end: () => void): Promise<void> {
    let known = this.knows(response, peer);
    if (!known)
      await retryNonConfirmable(this.core, response.message, async () => {
        const verdict = await this.askApplication(response, peer);
        known = verdict === 'restored';
        return verdict !== 'failed';
      });
    // From here to the observer nothing is awaited, so that duplicates are always recognised.
    end();
    const state = this.core.peers.get(peer.key);
    const entry = state?.observations?.get(tokenKey(response.message.token));
    if (known && state !== undefined && entry !== undefined) this.observer.deliver(state, entry, response);
  }

  private knows({ message }: IncomingResponse, peer: Peer): boolean {
    return this.core.peers.get(peer.key)?.observations?.has(tokenKey(message.token)) ?? false;
  }

  private async askApplication(response: IncomingResponse, peer: Peer): Promise<'failed' | 'answered' | 'restored'> {
    const { message } = response;
    const position = this.observer.positionOf(response);
    try {
      const verdict = await this.core.options.onNotification?.(unmatched(withoutUnusable(response), peer));
      if (verdict === 'restored') return verdict;
      const state = this.core.peers.get(peer.key);
      if (verdict === 'accepted' && !response.isUnusable) {
        this.core.count('notification-accepted');
        if (position !== undefined) state?.observations?.get(tokenKey(message.token))?.recordNewest(position);
        this.core.acknowledge(message, peer, state);
      } else this.refuse(response, peer, state);
      return 'answered';
    } catch (error) {
      this.core.count('notification-rejected');
      this.core.report(error);
      return 'failed';
    }
  }

  private refuse({ message }: IncomingResponse, peer: Peer, state: PeerState | undefined): void {
    this.core.count('response-unmatched-reset');
    this.core.reset(message, peer, state);
  }
}

function unmatched(response: IncomingResponse, peer: Peer): ReturnType<typeof notificationOf> {
  const { message } = response;
  const body = receivedResponse(response, message.payload);
  const properties = { confirmable: message.type === 'CON', ended: false, partial: isIncomplete(response) };
  return notificationOf(peer, message.token, tokenKey(message.token), body, properties);
}
