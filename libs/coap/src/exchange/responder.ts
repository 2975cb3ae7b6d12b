import { type CoapMessage } from '../codec/message.js';
import { type EndpointCore } from '../state/core.js';
import { type PeerState } from '../peer/peer-state.js';
import { type Peer } from '../messages/peer.js';
import { EMPTY_ACK_DELAY_MS } from '../timing/transmission-parameters.js';
import { AnswerSender, type InboundDatagram } from './answer-sender.js';
import { Answering } from './answering.js';
import { type InboundExchange } from './inbound-exchange.js';

/** Server role over UDP: limits concurrent handlers, and acknowledges requests whose handlers are slow. */
export class Responder {
  readonly answering: Answering<InboundDatagram>;

  constructor(private readonly core: EndpointCore) {
    this.answering = new Answering(core, new AnswerSender(core));
  }

  /** Handles a message that is not a duplicate. */
  handle(message: CoapMessage, peer: Peer, state: PeerState | undefined): void {
    // Checked before a block is added to its upload: if a last block were dropped after that, its copy would get 4.08.
    if (!this.core.inFlight.hasRoom(peer, state, 'request')) {
      this.core.count('request-refused-by-limit');
      return;
    }
    const via: InboundDatagram = { message, state, inFlight: undefined };
    const exchange = this.answering.open({ message, peer, confirmable: message.type === 'CON', via });
    const payload = exchange && this.answering.bodyOf(exchange);
    if (exchange === undefined || payload === undefined) return;
    this.run(exchange, payload);
  }

  private run(exchange: InboundExchange<InboundDatagram>, payload: Buffer): void {
    const { peer, via } = exchange;
    const { state } = via;
    const inFlight = this.core.inFlight.begin(peer, state, via.message, 'request');
    via.inFlight = inFlight;
    const ackTimer = this.acknowledgeLater(exchange);
    void this.answering.run(exchange, payload).then(() => {
      ackTimer?.cancel();
      this.core.inFlight.remove(peer, state, inFlight);
    });
  }

  /** Sends an empty ACK if the handler is slow, so that the peer does not retransmit the request. */
  private acknowledgeLater({ peer, via }: InboundExchange<InboundDatagram>): { cancel(): void } | undefined {
    const { message, inFlight } = via;
    if (message.type !== 'CON' || inFlight === undefined) return undefined;
    return this.core.timers.schedule(EMPTY_ACK_DELAY_MS, () => {
      inFlight.acknowledged = true;
      this.core.acknowledge(message, peer, this.core.peers.get(peer.key));
    });
  }
}
