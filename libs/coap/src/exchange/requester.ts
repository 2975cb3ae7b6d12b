import { download } from '../blockwise/body-download.js';
import { smallerBlocks, upload } from '../blockwise/body-upload.js';
import { type BlockValue, blockBytes, szxOf } from '../codec/block-value.js';
import { Code } from '../codec/code.js';
import { type RequestExtras, writeRequestOptions } from '../codec/request-options.js';
import { type EndpointCore } from '../core/core.js';
import { type PeerState } from '../peer/peer-state.js';
import { type Peer } from '../messages/peer.js';
import { type IncomingResponse, type RequestIntent, type ResponseMessage } from '../peer/pending-request.js';
import { type OutgoingRequest } from '../messages/request.js';
import { type ReceivedResponse } from '../messages/response.js';
import { roundTrip } from './round-trip.js';

/** What an observation adds to a request. */
export interface RequestCall {
  intent: RequestIntent;
  token?: Buffer;
  observe?: number;
  /** Called with the first response message before anything else that arrives is looked at. */
  onResponse?: (response: IncomingResponse) => void;
}

const NO_PAYLOAD = Buffer.alloc(0);

/** Client role: whole requests, with the blocks of their bodies, one after the other for each peer. */
export class Requester {
  constructor(private readonly core: EndpointCore) {}

  async request(peer: Peer, request: OutgoingRequest, call: RequestCall): Promise<ReceivedResponse> {
    this.core.assertOpen();
    const state = this.core.peers.obtain(peer);
    return state.queue.run(() => this.perform(state, request, call), this.core.limits.queuedPerPeerMax);
  }

  /** Fetches the remaining blocks of a notification (RFC 7959 §2.6), also while a request has no answer. */
  async complete(state: PeerState, request: OutgoingRequest, first: IncomingResponse): Promise<ReceivedResponse> {
    return state.queue.complete(() => this.download(state, request, first), this.core.limits.queuedPerPeerMax);
  }

  private async perform(state: PeerState, request: OutgoingRequest, call: RequestCall): Promise<ReceivedResponse> {
    const body = request.payload ?? NO_PAYLOAD;
    const szx = szxOf(this.core.limits.blockBytes);
    const whole = body.length <= blockBytes(szx);
    let response: ResponseMessage = whole
      ? await this.send(state, request, body, call, {})
      : await this.upload(state, request, body, call, szx);
    const smaller = whole ? smallerBlocks(response, szx + 1) : undefined;
    if (
      response.message.code === Code.RequestEntityTooLarge &&
      smaller !== undefined &&
      blockBytes(smaller) < body.length
    ) {
      response = await this.upload(state, request, body, call, smaller);
    }
    return this.download(state, request, response);
  }

  /** Only the last block makes the request: the earlier ones have tokens of their own and observe nothing. */
  private upload(
    state: PeerState,
    request: OutgoingRequest,
    body: Buffer,
    call: RequestCall,
    szx: number,
  ): Promise<ResponseMessage> {
    return upload(body, szx, ({ payload, block1, size1, last }) => {
      const extras = size1 === undefined ? { block1 } : { block1, size1 };
      return this.send(state, request, payload, last ? call : { intent: 'plain' }, extras);
    });
  }

  private download(state: PeerState, request: OutgoingRequest, first: ResponseMessage): Promise<ReceivedResponse> {
    return download(first, {
      fetch: (block2) => this.fetchBlock(state, request, block2),
      bodyBytesMax: this.core.limits.bodyBytesMax,
      repeatable: request.method === Code.GET || request.method === Code.FETCH,
    });
  }

  /** A fresh token and no Observe (RFC 7959 §3.4). The body of a FETCH is part of what names the resource. */
  private fetchBlock(state: PeerState, request: OutgoingRequest, block2: BlockValue): Promise<IncomingResponse> {
    const { etag: _etag, contentFormat, payload, ...rest } = request;
    if (request.method !== Code.FETCH || payload === undefined) {
      return this.send(state, rest, NO_PAYLOAD, { intent: 'plain' }, { block2 });
    }
    const described = contentFormat === undefined ? rest : { ...rest, contentFormat };
    const carried = payload.length <= this.core.limits.blockBytes ? payload : NO_PAYLOAD;
    return this.send(state, described, carried, { intent: 'plain' }, { block2 });
  }

  private send(
    state: PeerState,
    request: OutgoingRequest,
    payload: Buffer,
    call: RequestCall,
    extras: RequestExtras,
  ): Promise<IncomingResponse> {
    return roundTrip(this.core, state, {
      request,
      options: writeRequestOptions(request, call.observe === undefined ? extras : { observe: call.observe, ...extras }),
      payload,
      token: call.token ?? this.core.tokens.next(),
      intent: call.intent,
      ...(call.onResponse === undefined ? {} : { onResponse: call.onResponse }),
    });
  }
}
