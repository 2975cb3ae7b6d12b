import { download, receivedBlock } from '../blockwise/body-download.js';
import { smallerBlocks, upload } from '../blockwise/body-upload.js';
import { assertSendable, readPart, sourceOf } from '../blockwise/source-reader.js';
import { type BlockValue, blockBytes, szxOf } from '../codec/block-value.js';
import { Code } from '../codec/code.js';
import { type RequestExtras, writeRequestOptions } from '../codec/request-options.js';
import { type TokenSource } from '../codec/tokens.js';
import { BlockTransferFailed, UnencodableMessage } from '../errors.js';
import { type CoapLimits, SOURCE_MESSAGE_BYTES_MAX } from '../limits.js';
import { type BodySource } from '../messages/body-source.js';
import { type Peer } from '../messages/peer.js';
import { type OutgoingRequest } from '../messages/request.js';
import { type ReceivedResponse } from '../messages/response.js';
import { type ClientState } from '../peer/client-state.js';
import { type Observed } from '../peer/observation-entry.js';
import { type RequestIntent, type ResponseMessage } from '../peer/pending-request.js';
import { type BlockPlan, type RequestLine } from './request-line.js';

/** What an observation adds to a request. */
export interface RequestCall<Response> {
  intent: RequestIntent;
  token?: Buffer;
  observe?: number;
  /** Called with the first response message before anything else that arrives is looked at. */
  onResponse?: (response: Response) => void;
}

export interface RequesterCore {
  readonly limits: Pick<CoapLimits, 'queuedPerPeerMax' | 'bodyBytesMax'>;
  readonly tokens: TokenSource;
  assertOpen(): void;
}

const NO_PAYLOAD = Buffer.alloc(0);

const withinMessage = (bytes: number): number => Math.min(bytes, SOURCE_MESSAGE_BYTES_MAX);

/** Client role over any transport: whole requests, with the blocks of their bodies, one after the other for each peer. */
export class Requester<To extends ClientState<Observed, Response>, Response extends ResponseMessage> {
  constructor(
    private readonly core: RequesterCore,
    private readonly line: RequestLine<To, Response>,
  ) {}

  async request(peer: Peer, request: OutgoingRequest, call: RequestCall<Response>): Promise<ReceivedResponse> {
    this.core.assertOpen();
    const to = this.line.reach(peer);
    return to.queue.run(() => this.perform(to, request, call), this.core.limits.queuedPerPeerMax);
  }

  /** Fetches the remaining blocks of a notification (RFC 7959 §2.6), also while a request has no answer. */
  async complete(to: To, request: OutgoingRequest, first: Response): Promise<ReceivedResponse> {
    return to.queue.complete(() => this.download(to, request, first), this.core.limits.queuedPerPeerMax);
  }

  private async perform(to: To, request: OutgoingRequest, call: RequestCall<Response>): Promise<ReceivedResponse> {
    if (request.block !== undefined) return this.performBlock(request.block, to, request, call);
    if (request.source !== undefined) return this.performFrom(request.source, to, request, call);
    const body = request.payload ?? NO_PAYLOAD;
    const { wholeBytesMax, blocks } = this.line.planFor(to, request);
    if (body.length > wholeBytesMax)
      return this.download(to, request, await this.upload(to, request, sourceOf(body), call, blocks));
    const response = await this.send(to, request, body, call, {});
    const szx = blocks && smallerBlocks(response, blocks.szx + 1);
    const tooLarge = response.message.code === Code.RequestEntityTooLarge;
    if (!tooLarge || szx === undefined || blockBytes(szx) >= body.length) return this.download(to, request, response);
    return this.download(to, request, await this.upload(to, request, sourceOf(body), call, { ...blocks, szx }));
  }

  /** The answer is not completed. */
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

  /** Never more of the source in one message than the peer has to take. */
  private async performFrom(
    source: BodySource,
    to: To,
    request: OutgoingRequest,
    call: RequestCall<Response>,
  ): Promise<ReceivedResponse> {
    assertSendable(source);
    if (request.payload !== undefined) throw new UnencodableMessage('A request has a payload or a source');
    const { wholeBytesMax, blocks } = this.line.planFor(to, request);
    const limited =
      blocks?.bertBytes === undefined ? blocks : { ...blocks, bertBytes: withinMessage(blocks.bertBytes) };
    const wholeMax = Math.min(
      wholeBytesMax,
      limited === undefined ? this.core.limits.bodyBytesMax : SOURCE_MESSAGE_BYTES_MAX,
    );
    if (source.bytes > wholeMax)
      return this.download(to, request, await this.upload(to, request, source, call, limited));
    // As any small body, also when the peer then wants it in smaller blocks.
    const { source: _source, ...whole } = request;
    const payload = await readPart(source, 0, source.bytes, request.signal);
    return this.perform(to, { ...whole, payload }, call);
  }

  /** Only the last block makes the request: the earlier ones have tokens of their own and observe nothing. */
  private async upload(
    to: To,
    request: OutgoingRequest,
    body: BodySource,
    call: RequestCall<Response>,
    blocks: BlockPlan['blocks'],
  ): Promise<ResponseMessage> {
    if (blocks === undefined) throw new BlockTransferFailed('the peer takes neither so large a message nor blocks');
    const { signal, onProgress, source } = request;
    return upload(body, {
      ...blocks,
      signal,
      onProgress,
      restartsMax: source === undefined ? 0 : 1,
      send: ({ payload, block1, size1, last }) => {
        const extras = size1 === undefined ? { block1 } : { block1, size1 };
        return this.send(to, request, payload, last ? call : { intent: 'plain' }, extras);
      },
    });
  }

  private download(to: To, request: OutgoingRequest, first: ResponseMessage): Promise<ReceivedResponse> {
    return download(first, {
      fetch: (block2) => this.fetchBlock(to, request, block2),
      bodyBytesMax: this.core.limits.bodyBytesMax,
      repeatable: request.method === Code.GET || request.method === Code.FETCH,
    });
  }

  /** A fresh token and no Observe (RFC 7959 §3.4). The body of a FETCH is part of what names the resource. */
  private fetchBlock(to: To, request: OutgoingRequest, block2: BlockValue): Promise<Response> {
    const { etag: _etag, contentFormat, payload, source: _source, ...rest } = request;
    if (request.method !== Code.FETCH || payload === undefined)
      return this.send(to, rest, NO_PAYLOAD, { intent: 'plain' }, { block2 });
    const described = contentFormat === undefined ? rest : { ...rest, contentFormat };
    const fits = payload.length <= this.line.planFor(to, request).wholeBytesMax;
    return this.send(to, described, fits ? payload : NO_PAYLOAD, { intent: 'plain' }, { block2 });
  }

  private send(
    to: To,
    request: OutgoingRequest,
    payload: Buffer,
    call: RequestCall<Response>,
    extras: RequestExtras,
  ): Promise<Response> {
    return this.line.roundTrip(to, {
      request,
      options: writeRequestOptions(request, call.observe === undefined ? extras : { observe: call.observe, ...extras }),
      payload,
      token: call.token ?? this.core.tokens.next(),
      intent: call.intent,
      ...(call.onResponse === undefined ? {} : { onResponse: call.onResponse }),
    });
  }
}
