import { SZX_BERT } from '../codec/block-value.js';
import { Code } from '../codec/code.js';
import { type ResponseExtras, writeResponseOptions } from '../codec/response-options.js';
import { type AnswerPlan, BaseAnswerSender } from '../exchange/base-answer-sender.js';
import { type InboundExchange } from '../exchange/inbound-exchange.js';
import { type CoapResponse } from '../messages/response.js';
import { blockPlan } from './block-plan.js';
import { type Conversation } from './conversation.js';

type Exchange = InboundExchange<Conversation>;

const NO_PAYLOAD = Buffer.alloc(0);

/** Writes responses to the connection of the request, while it is open. */
export class StreamAnswerSender extends BaseAnswerSender<Conversation> {
  readonly szxMax = SZX_BERT;

  /**
   * The answer is sent in one message if the peer accepts a message of this size and did not request a block, or if it
   * accepts no blocks. A peer that requests a block accepts blocks, although its CSM may not say so: a CSM without the
   * option says nothing about them (RFC 8323 §5.3.2).
   */
  planFor({ via, block2 }: Exchange, response: CoapResponse): AnswerPlan {
    const { capabilities: announced } = via.connection;
    const capabilities = block2 === undefined ? announced : { ...announced, blockWise: true };
    const { wholeBytesMax, blocks } = blockPlan(capabilities, writeResponseOptions(response, {}));
    if (block2 !== undefined) return { szx: 0, ...blocks, wholeBytesMax: -1 };
    return blocks === undefined ? { szx: 0, wholeBytesMax: Infinity } : { ...blocks, wholeBytesMax };
  }

  rejectOptions(exchange: Exchange): void {
    this.send(exchange, { code: Code.BadOption });
  }

  protected isOpen({ via }: Exchange): boolean {
    return !via.connection.isClosed;
  }

  protected write({ message, via }: Exchange, response: CoapResponse, extras: ResponseExtras): void {
    const { code, payload = NO_PAYLOAD } = response;
    via.connection.send({ code, token: message.token, options: writeResponseOptions(response, extras), payload });
  }
}
