import { download, receivedBlock } from '../blockwise/body-download.js';
import { smallerBlocks, upload } from '../blockwise/body-upload.js';
import { assertSendable, readPart, sourceOf } from '../blockwise/source-reader.js';
import { type BlockValue, blockBytes, szxOf } from '../codec/block-value.js';
import { Code } from '../codec/code.js';
import { type RequestExtras, writeRequestOptions } from '../codec/request-options.js';
import { type TokenSource } from '../codec/tokens.js';
import { MessageTooLarge, RequestAbandoned, UnencodableMessage } from '../errors.js';
import { type CoapLimits, SOURCE_MESSAGE_BYTES_MAX } from '../limits.js';
import { type BodySource } from '../messages/body-source.js';
import { type Peer } from '../messages/peer.js';
import { type OutgoingRequest } from '../messages/request.js';
import { type ReceivedResponse } from '../messages/response.js';
import { type ClientState } from '../peer/client-state.js';
import { type Observed } from '../peer/observation-entry.js';
import { type RequestIntent, type ResponseMessage } from '../peer/pending-request.js';
import { type BlockPlan, type RequestSender } from './request-sender.js';

/** What an observation adds to a request. */
export interface RequestCall<Response> {
  intent: RequestIntent;
  token?: Buffer;
  observe?: number;
  /** Called with the first response message before any later message is processed. */
  onResponse?: (response: Response) => void;
}

export interface RequesterCore {
  readonly limits: Pick<CoapLimits, 'queuedPerPeerMax' | 'bodyBytesMax'>;
  readonly tokens: TokenSource;
  assertOpen(): void;
}

const NO_PAYLOAD = Buffer.alloc(0);

const withinMessage = (bytes: number): number => Math.min(bytes, SOURCE_MESSAGE_BYTES_MAX);

/** Client role over any transport: whole requests, including the blocks of their bodies, one after the other for each peer. */
export class Requester<To extends ClientState<Observed, Response>, Response extends ResponseMessage> {
  constructor(
    private readonly core: RequesterCore,
    private readonly sender: RequestSender<To, Response>,
  ) {}

  async request(peer: Peer, request: OutgoingRequest, call: RequestCall<Response>): Promise<ReceivedResponse> {
    this.core.assertOpen();
    const to = this.sender.reach(peer);
    return to.queue.run(() => this.begin(to, request, call), this.core.limits.queuedPerPeerMax);
  }

  private begin(to: To, request: OutgoingRequest, call: RequestCall<Response>): Promise<ReceivedResponse> {
    const perform = (): Promise<ReceivedResponse> => this.perform(to, request, call);
    return request.beforeSending ? request.beforeSending().then(perform) : perform();
  }

  /** Fetches the remaining blocks of a notification (RFC 7959 §2.6), even while a request waits for its response. */
  async complete(to: To, request: OutgoingRequest, first: Response): Promise<ReceivedResponse> {
    const rest = { intent: 'plain' } as const;
    return to.queue.complete(() => this.download(to, request, first, rest), this.core.limits.queuedPerPeerMax);
  }

  private async perform(to: To, request: OutgoingRequest, call: RequestCall<Response>): Promise<ReceivedResponse> {
    // The request may have been abandoned while it waited for its turn.
    if (request.signal?.aborted) throw new RequestAbandoned();
    if (request.block !== undefined) return this.performBlock(request.block, to, request, call);
    if (request.source !== undefined) return this.performFrom(request.source, to, request, call);
    const body = request.payload ?? NO_PAYLOAD;
    const { wholeBytesMax, blocks } = this.sender.planFor(to, request);
    if (body.length > wholeBytesMax)
      return this.fetchRest(to, request, await this.upload(to, request, sourceOf(body), call, blocks), call);
    const response = await this.send(to, request, body, call, {});
    // A peer may refuse the body with 4.13 and name a block size (RFC 7959 §2.9.3). If this is not larger than the size
    // of our blocks, and the body needs several such blocks, the body is sent again in blocks of that size.
    const szx = blocks && smallerBlocks(response, blocks.szx + 1);
    const tooLarge = response.message.code === Code.RequestEntityTooLarge;
    if (!tooLarge || szx === undefined || blockBytes(szx) >= body.length)
      return this.fetchRest(to, request, response, call);
    const last = await this.upload(to, request, sourceOf(body), call, { ...blocks, szx });
    return this.fetchRest(to, request, last, call);
  }

  /** Requests one block only: the rest of the answer is not fetched. */
  private async performBlock(
    { offset, bytes }: NonNullable<OutgoingRequest['block']>,
    to: To,
    request: OutgoingRequest,
    call: RequestCall<Response>,
  ): Promise<ReceivedResponse> {
    const szx = szxOf(bytes);
    if (blockBytes(szx) !== bytes || offset % bytes !== 0)
      throw new UnencodableMessage(`No block of ${bytes} bytes begins at ${offset}`);
    const block2 = { num: offset / bytes, more: false, szx };
    const response = await this.send(to, request, request.payload ?? NO_PAYLOAD, call, { block2 });
    return receivedBlock(response);
  }

  /**
   * Sends a body from a source. One message has at most `SOURCE_MESSAGE_BYTES_MAX` bytes of it, or `bodyBytesMax` if
   * the peer accepts no blocks.
   */
  private async performFrom(
    source: BodySource,
    to: To,
    request: OutgoingRequest,
    call: RequestCall<Response>,
  ): Promise<ReceivedResponse> {
    assertSendable(source);
    if (request.payload !== undefined) throw new UnencodableMessage('A request has a payload or a source');
    const { wholeBytesMax, blocks } = this.sender.planFor(to, request);
    const limited =
      blocks?.bertBytes === undefined ? blocks : { ...blocks, bertBytes: withinMessage(blocks.bertBytes) };
    const wholeMax = Math.min(
      wholeBytesMax,
      limited === undefined ? this.core.limits.bodyBytesMax : SOURCE_MESSAGE_BYTES_MAX,
    );
    if (source.bytes > wholeMax)
      return this.fetchRest(to, request, await this.upload(to, request, source, call, limited), call);
    // Sent like any small body, even if the peer then asks for smaller blocks.
    const { source: _source, ...whole } = request;
    const payload = await readPart(source, 0, source.bytes, request.signal);
    return this.perform(to, { ...whole, payload }, call);
  }

  /**
   * All blocks have the same options and one token: mbed-coap and older versions of Zephyr use the token to find the previous
   * blocks, and Californium takes Observe from the first block. A body that is sent again has another token. Only the answer to
   * the last block begins an observation.
   */
  private async upload(
    to: To,
    request: OutgoingRequest,
    body: BodySource,
    call: RequestCall<Response>,
    blocks: BlockPlan['blocks'],
  ): Promise<ResponseMessage> {
    // The peer accepts neither blocks nor a message of this size.
    if (blocks === undefined) throw new MessageTooLarge(body.bytes);
    const { signal, onProgress } = request;
    const { onResponse: _onResponse, ...partial } = call;
    let token = call.token;
    return upload(body, {
      ...blocks,
      signal,
      onProgress,
      send: ({ payload, block1, size1, last }) => {
        const extras = size1 === undefined ? { block1 } : { block1, size1 };
        if (block1.num === 0) token = call.token ?? this.core.tokens.next();
        return this.send(to, request, payload, { ...(last ? call : partial), token }, extras);
      },
    });
  }

  /**
   * Fetches the further blocks of an answer with the token of the answer, because mbed-coap repeats that in each block. The token
   * of an observation is for its notifications only (RFC 7959 §3.4).
   */
  private fetchRest(
    to: To,
    request: OutgoingRequest,
    first: ResponseMessage,
    { intent }: RequestCall<Response>,
  ): Promise<ReceivedResponse> {
    if (first.options.observe !== undefined) return this.download(to, request, first, { intent: 'plain' });
    const rest = { intent: intent === 'cancel' ? intent : 'plain', token: first.message.token } as const;
    return this.download(to, request, first, rest);
  }

  private download(
    to: To,
    request: OutgoingRequest,
    first: ResponseMessage,
    rest: RequestCall<Response>,
  ): Promise<ReceivedResponse> {
    return download(first, {
      fetch: (block2) => this.fetchBlock(to, request, block2, rest),
      bodyBytesMax: this.core.limits.bodyBytesMax,
      repeatable: request.method === Code.GET || request.method === Code.FETCH,
    });
  }

  /** Requests a block without Observe (RFC 7959 §3.4). The body of a FETCH is part of what identifies the resource. */
  private fetchBlock(
    to: To,
    request: OutgoingRequest,
    block2: BlockValue,
    call: RequestCall<Response>,
  ): Promise<Response> {
    const { etag: _etag, contentFormat, payload, source: _source, ...rest } = request;
    if (request.method !== Code.FETCH || payload === undefined)
      return this.send(to, rest, NO_PAYLOAD, call, { block2 });
    const described = contentFormat === undefined ? rest : { ...rest, contentFormat };
    const fits = payload.length <= this.sender.planFor(to, request).wholeBytesMax;
    return this.send(to, described, fits ? payload : NO_PAYLOAD, call, { block2 });
  }

  private send(
    to: To,
    request: OutgoingRequest,
    payload: Buffer,
    call: RequestCall<Response>,
    extras: RequestExtras,
  ): Promise<Response> {
    return this.sender.roundTrip(to, {
      request,
      options: writeRequestOptions(request, call.observe === undefined ? extras : { observe: call.observe, ...extras }),
      payload,
      token: call.token ?? this.core.tokens.next(),
      intent: call.intent,
      ...(call.onResponse === undefined ? {} : { onResponse: call.onResponse }),
    });
  }
}
