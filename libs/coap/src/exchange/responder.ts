import { cutBlock, withEtag } from '../blockwise/answer-block.js';
import { type Upload, UploadTable } from '../blockwise/upload-table.js';
import { type BlockValue, blockBytes, szxOf } from '../codec/block-value.js';
import { Code, isResponseCode } from '../codec/code.js';
import { type CoapMessage } from '../codec/message.js';
import { readRequestOptions } from '../codec/request-options.js';
import { type EndpointCore } from '../endpoint/core.js';
import { UnencodableMessage } from '../errors.js';
import { type BoundedTable } from '../memory/bounded-table.js';
import { type PeerState } from '../peer/peer-state.js';
import { type Peer } from '../peer/peer.js';
import { EMPTY_ACK_DELAY_MS } from '../timing/transmission-parameters.js';
import { AnswerSender } from './answer-sender.js';
import { type InboundExchange, transferKey } from './inbound-exchange.js';
import { type CoapRequest } from './request.js';
import { type CoapResponse } from './response.js';

/** Server role: from a request message to its answer. */
export class Responder {
  readonly uploadBuffers: BoundedTable<string, Upload>;
  readonly storedAnswers: BoundedTable<string, CoapResponse>;
  private readonly uploads: UploadTable;
  private readonly answers: AnswerSender;

  constructor(private readonly core: EndpointCore) {
    const { limits } = core;
    const idleMs = limits.blockIdleMs;
    this.uploadBuffers = core.table({ entriesMax: limits.uploadsMax, bytesMax: limits.uploadsBytesMax, idleMs });
    this.storedAnswers = core.table({
      entriesMax: limits.storedAnswersMax,
      bytesMax: limits.storedAnswersBytesMax,
      idleMs,
    });
    this.uploads = new UploadTable(this.uploadBuffers, limits.bodyBytesMax);
    this.answers = new AnswerSender(core);
  }

  /** The message is known to be no duplicate. */
  handle(message: CoapMessage, peer: Peer, state: PeerState | undefined): void {
    // Before the last block is taken out of its upload, so that it can come again.
    if (!this.core.inFlight.hasRoom(peer, 'request')) {
      this.core.count('request-refused-by-limit');
      return;
    }
    const exchange = this.open(message, peer, state);
    if (exchange === undefined) return;
    const payload = this.assemble(exchange);
    if (payload === undefined || this.answerFromStore(exchange)) return;
    this.invoke(exchange, payload);
  }

  /** Reads the options, or answers that they are not acceptable. */
  private open(message: CoapMessage, peer: Peer, state: PeerState | undefined): InboundExchange | undefined {
    const read = readRequestOptions(message.options);
    const options = typeof read === 'number' ? { path: [], query: [], etags: [], proxied: false } : read;
    const { block1, block2 } = options;
    const exchange = {
      message,
      peer,
      options,
      transferKey: '',
      block1: undefined,
      block2: undefined,
      inFlight: undefined,
    };
    if (typeof read === 'number') {
      this.core.count('request-rejected-option');
      if (message.type === 'CON') this.answers.send(exchange, { code: Code.BadOption });
      else this.core.reset(message, peer, state);
      return undefined;
    }
    if (options.proxied || block1 === 'reserved-size' || block2 === 'reserved-size') {
      this.answers.send(exchange, { code: options.proxied ? Code.ProxyingNotSupported : Code.BadRequest });
      return undefined;
    }
    return { ...exchange, block1, block2, transferKey: transferKey(peer, message.code, options) };
  }

  /** The whole body, once it is there; until then each block gets its own answer. */
  private assemble(exchange: InboundExchange): Buffer | undefined {
    const { message, options, block1: block } = exchange;
    const bodyBytesMax = this.core.limits.bodyBytesMax;
    if (block === undefined) {
      if (message.payload.length <= bodyBytesMax) return message.payload;
      this.answers.send(exchange, { code: Code.RequestEntityTooLarge }, { size1: bodyBytesMax });
      return undefined;
    }
    const { payload } = message;
    const { contentFormat, size1: announcedBytes } = options;
    const step = this.uploads.take(exchange.transferKey, { block, payload, contentFormat, announcedBytes });
    if (step.kind === 'complete') return step.payload;
    if (step.kind === 'continue') this.answers.send(exchange, { code: Code.Continue });
    if (step.kind === 'incomplete') this.answers.send(exchange, { code: Code.RequestEntityIncomplete });
    if (step.kind === 'malformed') this.answers.send(exchange, { code: Code.BadRequest });
    if (step.kind === 'too-large') {
      this.answers.send(exchange, { code: Code.RequestEntityTooLarge }, { size1: bodyBytesMax });
    }
    return undefined;
  }

  /** A later block of an answer that was given before. A safe request may be executed again instead. */
  private answerFromStore(exchange: InboundExchange): boolean {
    const { block2, message } = exchange;
    if (block2 === undefined || block2.num === 0) return false;
    const stored = this.storedAnswers.get(exchange.transferKey);
    if (stored !== undefined) {
      this.sendBlock(exchange, stored, block2);
      return true;
    }
    if (message.code === Code.GET || message.code === Code.FETCH) return false;
    this.answers.send(exchange, { code: Code.RequestEntityIncomplete });
    return true;
  }

  private invoke(exchange: InboundExchange, payload: Buffer): void {
    const { message, peer } = exchange;
    const inFlight = this.core.inFlight.begin(peer, message.messageId, 'request');
    exchange.inFlight = inFlight;
    const patience = this.acknowledgeLater(exchange);
    void this.run(exchange, payload).then((response) => {
      patience?.cancel();
      this.finish(exchange, response);
      this.core.inFlight.end(peer, inFlight);
    });
  }

  /** Never throws: a payload that is no Buffer, for example, becomes 5.00. */
  private finish(exchange: InboundExchange, response: CoapResponse): void {
    try {
      this.answer(exchange, response);
    } catch (error) {
      this.core.report(error);
      this.answers.send(exchange, { code: Code.InternalServerError });
    }
  }

  /** A slow handler: the peer is told to wait before it sends the request again. */
  private acknowledgeLater({ message, peer, inFlight }: InboundExchange): { cancel(): void } | undefined {
    if (message.type !== 'CON' || inFlight === undefined) return undefined;
    return this.core.timers.schedule(EMPTY_ACK_DELAY_MS, () => {
      inFlight.acknowledged = true;
      this.core.acknowledge(message, peer, this.core.peers.get(peer.key));
    });
  }

  /** Never rejects. */
  private async run({ message, peer, options }: InboundExchange, payload: Buffer): Promise<CoapResponse> {
    const { path, query, etags, contentFormat, accept, observe } = options;
    const request: CoapRequest = {
      method: message.code,
      path,
      query,
      etags,
      payload,
      peer,
      token: message.token,
      confirmable: message.type === 'CON',
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

  /** Whole when it fits and the peer did not ask for less, otherwise its first (or the wanted) block. */
  private answer(exchange: InboundExchange, response: CoapResponse): void {
    const own = szxOf(this.core.limits.blockBytes);
    const wanted = exchange.block2 ?? { num: 0, szx: own, more: false };
    const bytes = response.payload?.length ?? 0;
    if (bytes <= blockBytes(Math.min(own, wanted.szx)) && wanted.num === 0) {
      this.answers.send(exchange, response);
      return;
    }
    const { onSent, observe, ...complete } = withEtag(response);
    this.storedAnswers.set(exchange.transferKey, complete, bytes);
    this.sendBlock(exchange, complete, wanted, { onSent, observe });
  }

  /** @param first what belongs to the first message of an answer only */
  private sendBlock(
    exchange: InboundExchange,
    stored: CoapResponse,
    wanted: BlockValue,
    first: Pick<CoapResponse, 'onSent' | 'observe'> = {},
  ): void {
    const szx = Math.min(wanted.szx, szxOf(this.core.limits.blockBytes));
    // A smaller block than wanted starts at the same byte.
    const num = wanted.num << (wanted.szx - szx);
    const cut = cutBlock(stored, { num, szx });
    if (cut === undefined) {
      this.answers.send(exchange, { code: Code.BadRequest });
      return;
    }
    if (!cut.block2.more) this.storedAnswers.delete(exchange.transferKey);
    const size2 = num === 0 ? { size2: cut.size2 } : {};
    this.answers.send(exchange, { ...cut.response, ...first }, { block2: cut.block2, ...size2 });
  }
}
