import { SZX_BERT } from '../codec/block-value.js';
import { Code } from '../codec/code.js';
import { type ResponseExtras, writeResponseOptions } from '../codec/response-options.js';
import { type AnswerLine, type AnswerPlan } from '../exchange/answer-line.js';
import { type InboundExchange } from '../exchange/inbound-exchange.js';
import { type CoapResponse } from '../messages/response.js';
import { blockPlan } from './block-plan.js';
import { type Conversation } from './conversation.js';
import { type StreamCore } from './core.js';

type Exchange = InboundExchange<Conversation>;

const NO_PAYLOAD = Buffer.alloc(0);

/** Writes responses to the connection of the request, while it is open. */
export class StreamAnswerSender implements AnswerLine<Conversation> {
  readonly szxMax = SZX_BERT;

  constructor(private readonly core: StreamCore) {}

  /** In one message where the peer takes it and did not ask for a part, or takes no parts. */
  planFor({ via, block2 }: Exchange, response: CoapResponse): AnswerPlan {
    const { wholeBytesMax, blocks } = blockPlan(via.connection.capabilities, writeResponseOptions(response, {}));
    if (block2 !== undefined) return { szx: 0, ...blocks, wholeBytesMax: -1 };
    return blocks === undefined ? { szx: 0, wholeBytesMax: Infinity } : { ...blocks, wholeBytesMax };
  }

  rejectOptions(exchange: Exchange): void {
    this.send(exchange, { code: Code.BadOption });
  }

  send(exchange: Exchange, response: CoapResponse, extras: ResponseExtras = {}): void {
    const { block1, via } = exchange;
    if (via.connection.isClosed) return;
    try {
      this.write(exchange, response, block1 === undefined ? extras : { ...extras, block1 });
    } catch (error) {
      this.core.report(error);
      // At least 64 bytes are always accepted: this one fits.
      if (!via.connection.isClosed) this.write(exchange, { code: Code.InternalServerError }, {});
    }
    try {
      response.onSent?.();
    } catch (error) {
      this.core.report(error);
    }
  }

  private write({ message, via }: Exchange, response: CoapResponse, extras: ResponseExtras): void {
    const { code, payload = NO_PAYLOAD } = response;
    via.connection.send({ code, token: message.token, options: writeResponseOptions(response, extras), payload });
  }
}
