import { bodyBlock, isWellFilled } from '../codec/block-value.js';
import { Code, isResponseCode } from '../codec/code.js';
import { readRequestOptions } from '../codec/request-options.js';
import { SourceUnavailable, UnencodableMessage } from '../errors.js';
import { AnswerBodies } from './answer-bodies.js';
import { type AnsweringCore, type BaseAnswerSender } from './base-answer-sender.js';
import { type Arrival, InboundExchange } from './inbound-exchange.js';
import { RequestBodies } from './request-bodies.js';
import { type CoapRequest } from '../messages/request.js';
import { type CoapResponse } from '../messages/response.js';

const internalError = { code: Code.InternalServerError, maxAgeSeconds: undefined };

/** Server role over any transport: from a request message to its answer. The caller limits how many run at once. */
export class Answering<Via> {
  private readonly requests: RequestBodies<Via>;
  private readonly answers: AnswerBodies<Via>;

  constructor(
    private readonly core: AnsweringCore,
    private readonly sender: BaseAnswerSender<Via>,
  ) {
    this.requests = new RequestBodies(core, sender);
    this.answers = new AnswerBodies(core, sender);
  }

  /** Reads the options, or answers that they are not acceptable. */
  open(arrival: Arrival<Via>): InboundExchange<Via> | undefined {
    const options = readRequestOptions(arrival.message.options, this.sender.szxMax);
    if (typeof options === 'number') {
      this.core.count('request-rejected-option');
      this.sender.rejectOptions(new InboundExchange(arrival));
      return undefined;
    }
    const { block1, block2, proxied } = options;
    if (proxied || block1 === 'reserved-size' || block2 === 'reserved-size') {
      this.sender.send(new InboundExchange(arrival), { code: proxied ? Code.ProxyingNotSupported : Code.BadRequest });
      return undefined;
    }
    return new InboundExchange(arrival, options, block1, block2);
  }

  /** The body for the handler; undefined when the request is answered without it. */
  bodyOf(exchange: InboundExchange<Via>): Buffer | undefined {
    if (this.takesBlock(exchange)) return exchange.message.payload;
    const payload = this.requests.assemble(exchange);
    return payload === undefined || this.answers.continue(exchange) ? undefined : payload;
  }

  /** Runs the handler and answers. Never rejects: an invalid answer, for example a payload that is no Buffer, becomes 5.00. */
  async run(exchange: InboundExchange<Via>, payload: Buffer): Promise<void> {
    const request = requestOf(exchange, payload);
    if (exchange.block1 !== undefined && this.takesBlock(exchange)) request.block = bodyBlock(exchange.block1);
    const response = await this.handle(request);
    try {
      if (response.source === undefined) this.answers.answer(exchange, response);
      else await this.answers.answerFrom(response.source, exchange, response);
    } catch (error) {
      const { code, maxAgeSeconds } = error instanceof SourceUnavailable ? error : internalError;
      if (!(error instanceof SourceUnavailable)) this.core.report(error);
      this.sender.send(exchange, { code, maxAgeSeconds });
    }
  }

  /** Whether the handler takes this block itself. A badly filled block is left to the reassembly, which refuses it. */
  private takesBlock({ message, options, block1 }: InboundExchange<Via>): boolean {
    if (block1 === undefined || !isWellFilled(block1, message.payload.length)) return false;
    return this.core.guarded(() => this.core.options.takesBlocks?.(message.code, options.path) ?? false, false);
  }

  held(): { uploads: number; uploadBytes: number; storedAnswers: number } {
    const { requests, answers } = this;
    return { uploads: requests.held.size, uploadBytes: requests.held.bytes, storedAnswers: answers.held.size };
  }

  clear(): void {
    this.requests.held.clear();
    this.answers.held.clear();
  }

  private async handle(request: CoapRequest): Promise<CoapResponse> {
    try {
      const response = await this.core.options.onRequest(request);
      if (!isResponseCode(response.code)) throw new UnencodableMessage(`No response code: ${response.code}`);
      return response;
    } catch (error) {
      this.core.count('request-handler-failed');
      this.core.report(error);
      return { code: Code.InternalServerError };
    }
  }
}

function requestOf<Via>({ message, peer, options, confirmable }: InboundExchange<Via>, payload: Buffer): CoapRequest {
  const { path, query, etags, contentFormat, accept, observe } = options;
  const { code: method, token } = message;
  const request: CoapRequest = { method, path, query, etags, payload, peer, token, confirmable };
  if (contentFormat !== undefined) request.contentFormat = contentFormat;
  if (accept !== undefined) request.accept = accept;
  if (observe !== undefined) request.observe = observe;
  return request;
}
