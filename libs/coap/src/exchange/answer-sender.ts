import { blockBytes, SZX_MAX, szxOf } from '../codec/block-value.js';
import { Code } from '../codec/code.js';
import { encodeMessage } from '../codec/encode.js';
import { type CoapMessage } from '../codec/message.js';
import { type ResponseExtras, writeResponseOptions } from '../codec/response-options.js';
import { type EndpointCore } from '../state/core.js';
import { CoapError } from '../errors.js';
import { type PeerState } from '../peer/peer-state.js';
import { type InFlight } from '../peer/running.js';
import { type AnswerPlan, BaseAnswerSender } from './base-answer-sender.js';
import { type InboundExchange } from './inbound-exchange.js';
import { type CoapResponse } from '../messages/response.js';

const NO_PAYLOAD = Buffer.alloc(0);

/** A request that was received in a datagram. */
export interface InboundDatagram {
  message: CoapMessage;
  state: PeerState | undefined;
  /** Set while the handler runs. */
  inFlight: InFlight | undefined;
}

type Exchange = InboundExchange<InboundDatagram>;

/** Sends answers: in the acknowledgement, as a separate message, or non-confirmable. */
export class AnswerSender extends BaseAnswerSender<InboundDatagram> {
  readonly szxMax = SZX_MAX;

  constructor(protected override readonly core: EndpointCore) {
    super(core);
  }

  /** Uses blocks of the size for this peer, or of the smaller size that it requested. */
  planFor({ block2, peer }: Exchange): AnswerPlan {
    const szx = szxOf(this.core.blockBytes(peer));
    const wholeBytesMax = block2 !== undefined && block2.num > 0 ? -1 : blockBytes(Math.min(szx, block2?.szx ?? szx));
    return { wholeBytesMax, szx };
  }

  rejectOptions(exchange: Exchange): void {
    const { message, state } = exchange.via;
    if (message.type === 'CON') this.send(exchange, { code: Code.BadOption });
    else this.core.reset(message, exchange.peer, state);
  }

  protected isOpen(): boolean {
    if (this.core.closed) this.core.count('answer-dropped');
    return !this.core.closed;
  }

  protected write(exchange: Exchange, response: CoapResponse, extras: ResponseExtras): void {
    const { peer } = exchange;
    const { message, inFlight } = exchange.via;
    const state = this.core.peers.get(peer.key);
    if (inFlight?.acknowledged) {
      this.sendSeparate(exchange, response, extras);
      return;
    }
    const piggybacked = message.type === 'CON';
    const messageId = piggybacked ? message.messageId : this.core.messageIdFor(state);
    const bytes = encodeAnswer(piggybacked ? 'ACK' : 'NON', messageId, message.token, response, extras);
    this.core.answers.remember(message, peer, state, bytes);
    this.core.send(peer, bytes);
  }

  /** Not queued behind our own requests: two peers that wait for each other's answers would wait forever. */
  private sendSeparate(exchange: Exchange, response: CoapResponse, extras: ResponseExtras): void {
    const state = this.stateFor(exchange);
    if (state === undefined) return;
    const messageId = this.core.messageIdFor(state);
    const bytes = encodeAnswer('CON', messageId, exchange.message.token, response, extras);
    this.core.transmit(state, messageId, bytes, {}, (outcome) => {
      if (outcome !== 'acknowledged') this.core.count('answer-unacknowledged');
    });
  }

  private stateFor(exchange: Exchange): PeerState | undefined {
    try {
      return this.core.peers.obtain(exchange.peer);
    } catch (error) {
      if (!(error instanceof CoapError)) throw error;
      this.core.count('answer-dropped');
      return undefined;
    }
  }
}

function encodeAnswer(
  type: CoapMessage['type'],
  messageId: number,
  token: Buffer,
  response: CoapResponse,
  extras: ResponseExtras,
): Buffer {
  const options = writeResponseOptions(response, extras);
  return encodeMessage({
    type,
    code: response.code,
    messageId,
    token,
    options,
    payload: response.payload ?? NO_PAYLOAD,
  });
}
