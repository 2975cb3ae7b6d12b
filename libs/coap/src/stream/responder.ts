import { Code } from '../codec/code.js';
import { type StreamMessage } from '../codec/stream-message.js';
import { Answering } from '../exchange/answering.js';
import { StreamAnswerSender } from './answer-sender.js';
import { type Conversation } from './conversation.js';
import { type StreamCore } from './core.js';

const BUSY_SECONDS = 5;

/** Server role over connections. Requests beyond the limit of one peer are not read; requests beyond the limit of all are refused. */
export class StreamResponder {
  readonly answering: Answering<Conversation>;
  private readonly sender: StreamAnswerSender;

  constructor(private readonly core: StreamCore) {
    this.sender = new StreamAnswerSender(core);
    this.answering = new Answering(core, this.sender);
  }

  receive(from: Conversation, message: StreamMessage): void {
    const exchange = this.answering.open({ message, peer: from.connection.peer, confirmable: true, via: from });
    if (exchange === undefined) return;
    if (this.core.closing || this.core.running.requests >= this.core.limits.requestsInFlightMax) {
      this.core.count('request-refused-by-limit');
      this.sender.send(exchange, { code: Code.ServiceUnavailable, maxAgeSeconds: BUSY_SECONDS });
      return;
    }
    const payload = this.answering.bodyOf(exchange);
    if (payload === undefined) return;
    from.beginExchange('requests');
    void this.answering.run(exchange, payload).then(() => from.endExchange('requests'));
  }
}
