import { type CoapMessage } from '../codec/message.js';
import { type EndpointCore } from '../state/core.js';
import { type PeerState } from '../peer/peer-state.js';
import { type Peer } from '../messages/peer.js';
import { EMPTY_ACK_DELAY_MS } from '../timing/transmission-parameters.js';
import { AnswerSender, type Datagram } from './answer-sender.js';
import { Answering } from './answering.js';
import { type InboundExchange } from './inbound-exchange.js';

/** Server role over UDP: limits concurrent handlers, and acknowledges requests whose handlers are slow. */
export class Responder {
  readonly answering: Answering<Datagram>;

  constructor(private readonly core: EndpointCore) {
    this.answering = new Answering(core, new AnswerSender(core));
  }

  /** Handles a message that is not a duplicate. */
  handle(message: CoapMessage, peer: Peer, state: PeerState | undefined): void {
    // Checked before the last block completes its upload, so that the block can be sent again.
    if (!this.core.inFlight.hasRoom(peer, state, 'request')) {
      this.core.count('request-refused-by-limit');
      return;
    }
    const via: Datagram = { message, state, inFlight: undefined };
    const exchange = this.answering.open({ message, peer, confirmable: message.type === 'CON', via });
    const payload = exchange && this.answering.bodyOf(exchange);
    if (exchange === undefined || payload === undefined) return;
    this.run(exchange, payload);
  }

  private run(exchange: InboundExchange<Datagram>, payload: Buffer): void {
    const { peer, via } = exchange;
    const { state } = via;
    const inFlight = this.core.inFlight.begin(peer, state, via.message, 'request');
    via.inFlight = inFlight;
    const patience = this.acknowledgeLater(exchange);
    void this.answering.run(exchange, payload).then(() => {
      patience?.cancel();
      this.core.inFlight.remove(peer, state, inFlight);
    });
  }

  /** A slow handler: an empty ACK keeps the peer from retransmitting the request. */
  private acknowledgeLater({ peer, via }: InboundExchange<Datagram>): { cancel(): void } | undefined {
    const { message, inFlight } = via;
    if (message.type !== 'CON' || inFlight === undefined) return undefined;
    return this.core.timers.schedule(EMPTY_ACK_DELAY_MS, () => {
      inFlight.acknowledged = true;
      this.core.acknowledge(message, peer, this.core.peers.get(peer.key));
    });
  }
}
