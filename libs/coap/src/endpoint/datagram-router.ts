import { isRequestCode } from '../codec/code.js';
import { decodeMessage } from '../codec/decode.js';
import { encodeEmpty } from '../codec/encode.js';
import { type CoapMessage } from '../codec/message.js';
import { readResponseOptions, type ResponseOptions } from '../codec/response-options.js';
import { MalformedMessage, NotConnected, PeerReset, UnusableResponse } from '../errors.js';
import { type Responder } from '../exchange/responder.js';
import { type DatagramObserver } from '../observe/datagram-observer.js';
import { tokenKey } from '../codec/tokens.js';
import { type UnmatchedReceiver } from '../observe/unmatched-receiver.js';
import { type PeerState } from '../peer/peer-state.js';
import { type IncomingResponse } from '../peer/pending-request.js';
import { peerAt, type Peer } from '../messages/peer.js';
import { type PeerRateLimiter } from '../peer/peer-rate-limiter.js';
import { type EndpointCore } from '../state/core.js';
import { type DatagramReceiver } from '../state/datagram-transport.js';

const NO_OPTIONS: ResponseOptions = { locationPath: [], locationQuery: [] };

interface Receivers {
  responder: Responder;
  observer: DatagramObserver;
  unmatched: UnmatchedReceiver;
}

/** Routes datagrams. A message is matched only with the state of the peer that sent it. */
export class DatagramRouter implements DatagramReceiver {
  constructor(
    private readonly core: EndpointCore,
    private readonly rateLimiter: PeerRateLimiter,
    private readonly receivers: Receivers,
  ) {}

  /** Never throws. */
  receive(datagram: Buffer, key: Peer['key'], address: string, port: number): void {
    try {
      this.core.count('datagram-received');
      const state = this.core.peers.get(key);
      if (state === undefined && !this.rateLimiter.admits(this.core.sourceOf(address))) {
        this.core.count('datagram-rate-limited');
        return;
      }
      const peer = state?.peer ?? peerAt(key, address, port);
      const message = this.decode(datagram, peer);
      if (message !== undefined) this.route(message, peer, state);
    } catch (error) {
      this.core.report(error);
    }
  }

  disconnected(key: Peer['key']): void {
    this.core.peers.get(key)?.abandonRequests(new NotConnected(), new NotConnected(true));
  }

  count(event: 'datagram-malformed' | 'socket-error'): void {
    this.core.count(event);
  }

  private decode(datagram: Buffer, peer: Peer): CoapMessage | undefined {
    try {
      return decodeMessage(datagram);
    } catch (error) {
      if (!(error instanceof MalformedMessage)) throw error;
      this.core.count('datagram-malformed');
      if (error.header?.type === 'CON') this.core.send(peer, encodeEmpty('RST', error.header.messageId));
      return undefined;
    }
  }

  private route(message: CoapMessage, peer: Peer, state: PeerState | undefined): void {
    if (message.type === 'RST') this.reset(message, state);
    else if (message.type === 'ACK') this.acknowledgement(message, state);
    else if (message.code === 0) this.answerPing(message, peer);
    else if (!this.isDuplicate(message, peer, state)) {
      if (isRequestCode(message.code)) this.request(message, peer, state);
      else this.response(message, peer, state);
    }
  }

  /** A CoAP ping is an empty confirmable message, and a Reset is its answer (RFC 7252 §1.2). */
  private answerPing(message: CoapMessage, peer: Peer): void {
    this.core.count('ping-answered');
    this.core.send(peer, encodeEmpty('RST', message.messageId));
  }

  /**
   * Whether the message was received before. A confirmable duplicate is answered here: while the first copy is being
   * handled, with another empty acknowledgement if that copy has got one; after that, with the same bytes again.
   */
  private isDuplicate(message: CoapMessage, peer: Peer, state: PeerState | undefined): boolean {
    const running = this.core.inFlight.find(peer, state, message);
    const answer = running === undefined ? this.core.answers.find(message, peer, state) : undefined;
    if (running === undefined && answer === undefined) return false;
    const response = !isRequestCode(message.code);
    if (running?.kind === 'notification') this.core.count('notification-duplicate');
    else this.core.count(response ? 'response-duplicate' : 'request-duplicate');
    if (message.type !== 'CON') return true;
    if (answer !== undefined) this.core.send(peer, answer);
    else if (running?.acknowledged) this.core.send(peer, encodeEmpty('ACK', message.messageId));
    return true;
  }

  private request(message: CoapMessage, peer: Peer, state: PeerState | undefined): void {
    if (this.core.closing) this.core.count('datagram-while-closing');
    else this.receivers.responder.handle(message, peer, state);
  }

  private reset(message: CoapMessage, state: PeerState | undefined): void {
    const transmission = state?.transmission(message.messageId);
    if (transmission !== undefined) {
      transmission.settleWith('reset');
      return;
    }
    const pending = state?.pendingByMessageId(message.messageId);
    const token = state?.takeResettable(message.messageId);
    if (pending !== undefined) pending.finish(new PeerReset(pending.acknowledged));
    else if (state !== undefined && token !== undefined) this.observerReset({ peer: state.peer, token });
    else this.core.count('acknowledgement-unmatched');
  }

  private observerReset(observer: { peer: Peer; token: Buffer }): void {
    this.core.guarded(() => this.core.options.onObserverReset?.(observer), undefined);
  }

  private acknowledgement(message: CoapMessage, state: PeerState | undefined): void {
    if (message.code !== 0) {
      this.piggybacked(message, state);
      return;
    }
    const transmission = state?.transmission(message.messageId);
    if (transmission === undefined) this.core.count('acknowledgement-unmatched');
    else transmission.settleWith('acknowledged');
  }

  /** A response in an acknowledgement: both its message id and its token must be those of the request. */
  private piggybacked(message: CoapMessage, state: PeerState | undefined): void {
    const pending = state?.pendingByMessageId(message.messageId);
    if (pending === undefined) {
      this.core.count('acknowledgement-unmatched');
      return;
    }
    if (!pending.token.equals(message.token)) {
      this.core.count('response-mismatched');
      return;
    }
    const options = readResponseOptions(message.options);
    if (typeof options !== 'number') {
      pending.finish({ message, options });
      return;
    }
    this.core.count('response-rejected-option');
    pending.finish(unusable(options));
  }

  /** A response in a separate message: to the pending request, to an observation, or to nothing that is known. */
  private response(message: CoapMessage, peer: Peer, state: PeerState | undefined): void {
    const options = readResponseOptions(message.options);
    const pending = state?.pendingByToken(message.token);
    if (typeof options === 'number') {
      this.core.count('response-rejected-option');
      if (pending === undefined) {
        this.notification({ message, options: NO_OPTIONS, isUnusable: true }, peer, state);
        return;
      }
      this.core.reset(message, peer, state);
      pending.finish(unusable(options));
      return;
    }
    if (pending?.expects(options.observe)) {
      this.core.acknowledge(message, peer, state);
      pending.finish({ message, options });
      return;
    }
    this.notification({ message, options }, peer, state);
  }

  /**
   * Also called for an unusable notification. The Reset that answers it ends the observation at the peer, so the
   * handler has to learn that this is the last notification, even if only the application knows the observation.
   */
  private notification(received: IncomingResponse, peer: Peer, state: PeerState | undefined): void {
    if (this.core.closing) {
      this.core.count('datagram-while-closing');
      return;
    }
    const { token } = received.message;
    const entry = state?.observations?.get(tokenKey(token));
    const { observer, unmatched } = this.receivers;
    if (state !== undefined && entry !== undefined && !unmatched.awaits(peer, token))
      observer.deliver(state, entry, received);
    else void unmatched.receive(received, peer, state);
  }
}

function unusable(option: number): UnusableResponse {
  return new UnusableResponse(`The response carries the unknown critical option ${option}`);
}
