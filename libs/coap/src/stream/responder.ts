import { cutBlock, withEtag } from '../blockwise/answer-block.js';
import { type Upload, UploadTable } from '../blockwise/upload-table.js';
import { type BlockValue, SZX_BERT } from '../codec/block-value.js';
import { Code, isResponseCode } from '../codec/code.js';
import { readRequestOptions, type RequestOptions } from '../codec/request-options.js';
import { type ResponseExtras, writeResponseOptions } from '../codec/response-options.js';
import { type StreamMessage } from '../codec/stream-message.js';
import { UnencodableMessage } from '../errors.js';
import { transferKey } from '../exchange/inbound-exchange.js';
import { type CoapRequest } from '../exchange/request.js';
import { type CoapResponse } from '../exchange/response.js';
import { type BoundedTable } from '../memory/bounded-table.js';
import { blockPlan } from './block-plan.js';
import { type Conversation } from './conversation.js';
import { type StreamCore } from './core.js';

/** One request of a peer until it is answered. */
interface Exchange {
  from: Conversation;
  message: StreamMessage;
  options: RequestOptions;
  key: string;
  block1: BlockValue | undefined;
  block2: BlockValue | undefined;
}

const NO_PAYLOAD = Buffer.alloc(0);

/** Server role: from a request message to its answer. */
export class StreamResponder {
  readonly uploadBuffers: BoundedTable<string, Upload>;
  readonly storedAnswers: BoundedTable<string, CoapResponse>;
  private readonly uploads: UploadTable;

  constructor(private readonly core: StreamCore) {
    const { blockIdleMs: idleMs, ...limits } = core.limits;
    this.uploadBuffers = core.table({ entriesMax: limits.uploadsMax, bytesMax: limits.uploadsBytesMax, idleMs });
    this.storedAnswers = core.table({
      entriesMax: limits.storedAnswersMax,
      bytesMax: limits.storedAnswersBytesMax,
      idleMs,
    });
    this.uploads = new UploadTable(this.uploadBuffers, limits.bodyBytesMax);
  }

  receive(from: Conversation, message: StreamMessage): void {
    const exchange = this.open(from, message);
    if (exchange === undefined) return;
    if (this.core.closing || this.core.running.requests >= this.core.limits.requestsInFlightMax) {
      this.core.count('request-refused-by-limit');
      this.send(exchange, { code: Code.ServiceUnavailable, maxAgeSeconds: 5 });
      return;
    }
    const payload = this.assemble(exchange);
    if (payload === undefined || this.answerFromStore(exchange)) return;
    from.begin('requests');
    void this.run(exchange, payload).then((response) => {
      this.answer(exchange, response);
      from.end('requests');
    });
  }

  /** Reads the options, or answers that they are not acceptable. */
  private open(from: Conversation, message: StreamMessage): Exchange | undefined {
    const read = readRequestOptions(message.options, SZX_BERT);
    const options = typeof read === 'number' ? { path: [], query: [], etags: [], proxied: false } : read;
    const { block1, block2, proxied } = options;
    const bare = { from, message, options, key: '', block1: undefined, block2: undefined };
    if (typeof read === 'number') {
      this.core.count('request-rejected-option');
      this.send(bare, { code: Code.BadOption });
      return undefined;
    }
    if (proxied || block1 === 'reserved-size' || block2 === 'reserved-size') {
      this.send(bare, { code: proxied ? Code.ProxyingNotSupported : Code.BadRequest });
      return undefined;
    }
    return { ...bare, block1, block2, key: transferKey(from.connection.peer, message.code, options) };
  }

  /** The whole body, once it is there; until then each block gets its own answer. */
  private assemble(exchange: Exchange): Buffer | undefined {
    const { message, options, block1: block } = exchange;
    const { bodyBytesMax } = this.core.limits;
    const { payload } = message;
    if (block === undefined && payload.length <= bodyBytesMax) return payload;
    const { contentFormat, size1: announcedBytes } = options;
    const step =
      block === undefined
        ? ({ kind: 'too-large' } as const)
        : this.uploads.take(exchange.key, { block, payload, contentFormat, announcedBytes });
    if (step.kind === 'complete') return step.payload;
    if (step.kind === 'continue') this.send(exchange, { code: Code.Continue });
    if (step.kind === 'incomplete') this.send(exchange, { code: Code.RequestEntityIncomplete });
    if (step.kind === 'malformed') this.send(exchange, { code: Code.BadRequest });
    if (step.kind === 'too-large') this.send(exchange, { code: Code.RequestEntityTooLarge }, { size1: bodyBytesMax });
    return undefined;
  }

  /** A later block of an answer that was given before. A safe request may be executed again instead. */
  private answerFromStore(exchange: Exchange): boolean {
    const { block2, message, key } = exchange;
    if (block2 === undefined || block2.num === 0) return false;
    const stored = this.storedAnswers.get(key);
    if (stored !== undefined) this.sendBlock(exchange, stored, block2);
    else if (message.code === Code.GET || message.code === Code.FETCH) return false;
    else this.send(exchange, { code: Code.RequestEntityIncomplete });
    return true;
  }

  /** Never rejects. */
  private async run({ from, message, options }: Exchange, payload: Buffer): Promise<CoapResponse> {
    const { path, query, etags, contentFormat, accept, observe } = options;
    const request: CoapRequest = {
      method: message.code,
      path,
      query,
      etags,
      payload,
      peer: from.connection.peer,
      token: message.token,
      confirmable: true,
      ...(contentFormat === undefined ? {} : { contentFormat }),
      ...(accept === undefined ? {} : { accept }),
      ...(observe === undefined ? {} : { observe }),
    };
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

  /** In one message where the peer takes it and did not ask for a part. */
  private answer(exchange: Exchange, response: CoapResponse): void {
    const { block2, from } = exchange;
    const bytes = response.payload?.length ?? 0;
    const { wholeBytesMax, blocks } = blockPlan(from.connection.capabilities, writeResponseOptions(response, {}));
    if (block2 === undefined && (bytes <= wholeBytesMax || blocks === undefined)) return this.send(exchange, response);
    const { onSent, observe, ...complete } = withEtag(response);
    this.storedAnswers.set(exchange.key, complete, bytes);
    const wanted = block2 ?? { num: 0, szx: blocks?.szx ?? SZX_BERT, more: false };
    this.sendBlock(exchange, complete, wanted, { onSent, observe });
  }

  /** @param first what belongs to the first message of an answer only */
  private sendBlock(
    exchange: Exchange,
    stored: CoapResponse,
    wanted: BlockValue,
    first: Pick<CoapResponse, 'onSent' | 'observe'> = {},
  ): void {
    const { blocks } = blockPlan(exchange.from.connection.capabilities, writeResponseOptions(stored, {}));
    const own = blocks?.szx ?? 0;
    const szx = Math.min(wanted.szx, own);
    // A smaller block than wanted starts at the same byte; several at once count in the same unit as one of 1024.
    const num = wanted.num << (Math.min(wanted.szx, SZX_BERT - 1) - Math.min(szx, SZX_BERT - 1));
    const cut = cutBlock(stored, { num, szx }, blocks?.bertBytes);
    if (cut === undefined) return this.send(exchange, { code: Code.BadRequest });
    if (!cut.block2.more) this.storedAnswers.delete(exchange.key);
    const size2 = num === 0 ? { size2: cut.size2 } : {};
    this.send(exchange, { ...cut.response, ...first }, { block2: cut.block2, ...size2 });
  }

  private send(exchange: Exchange, response: CoapResponse, extras: ResponseExtras = {}): void {
    const { from, message, block1 } = exchange;
    if (from.connection.isClosed) return;
    try {
      const options = writeResponseOptions(response, block1 === undefined ? extras : { ...extras, block1 });
      const { code, payload = NO_PAYLOAD } = response;
      from.connection.send({ code, token: message.token, options, payload });
    } catch (error) {
      this.core.report(error);
      // At least 64 bytes are always taken: this one fits.
      const code = Code.InternalServerError;
      if (!from.connection.isClosed)
        from.connection.send({ code, token: message.token, options: [], payload: NO_PAYLOAD });
    }
    try {
      response.onSent?.();
    } catch (error) {
      this.core.report(error);
    }
  }
}
