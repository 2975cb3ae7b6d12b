import { download } from '../blockwise/body-download.js';
import { smallerBlocks, upload } from '../blockwise/body-upload.js';
import { type BlockValue, blockBytes } from '../codec/block-value.js';
import { Code } from '../codec/code.js';
import { type RequestExtras, writeRequestOptions } from '../codec/request-options.js';
import { BlockTransferFailed, CoapError, RequestTimedOut } from '../errors.js';
import { type RequestIntent, type ResponseMessage } from '../peer/pending-request.js';
import { type OutgoingRequest } from '../messages/request.js';
import { type ReceivedResponse } from '../messages/response.js';
import { tokenKey } from '../codec/tokens.js';
import { MAX_TRANSMIT_WAIT_MS } from '../timing/transmission-parameters.js';
import { type BlockPlan, blockPlan } from './block-plan.js';
import { type Conversation, type StreamResponse } from './conversation.js';
import { type StreamCore } from './core.js';

/** What an observation adds to a request. */
export interface StreamCall {
  intent: RequestIntent;
  token?: Buffer;
  observe?: number;
  /** Called with the first response message before anything else that arrives is looked at. */
  onResponse?: (response: StreamResponse) => void;
}

interface Leg {
  request: OutgoingRequest;
  payload: Buffer;
  call: StreamCall;
  extras: RequestExtras;
}

const NO_PAYLOAD = Buffer.alloc(0);
const PLAIN: StreamCall = { intent: 'plain' };

/** Client role: whole requests, one after the other for each connection, in one message each where the peer takes it. */
export class StreamRequester {
  constructor(private readonly core: StreamCore) {}

  async request(to: Conversation, request: OutgoingRequest, call: StreamCall): Promise<ReceivedResponse> {
    this.core.assertOpen();
    return to.queue.run(() => this.perform(to, request, call), this.core.limits.queuedPerPeerMax);
  }

  /** Fetches the remaining blocks of a notification (RFC 7959 §2.6), also while a request has no answer. */
  complete(to: Conversation, request: OutgoingRequest, first: StreamResponse): Promise<ReceivedResponse> {
    return to.queue.complete(() => this.download(to, request, first), this.core.limits.queuedPerPeerMax);
  }

  private async perform(to: Conversation, request: OutgoingRequest, call: StreamCall): Promise<ReceivedResponse> {
    const payload = request.payload ?? NO_PAYLOAD;
    const plan = blockPlan(to.connection.capabilities, writeRequestOptions(request, {}));
    if (payload.length > plan.wholeBytesMax)
      return this.download(to, request, await this.upload(to, request, call, plan));
    const response = await this.send(to, { request, payload, call, extras: {} });
    const szx = smallerBlocks(response, plan.blocks?.szx ?? 0);
    const retry = response.message.code === Code.RequestEntityTooLarge && szx !== undefined;
    if (!retry || blockBytes(szx) >= payload.length) return this.download(to, request, response);
    return this.download(to, request, await this.upload(to, request, call, plan, szx));
  }

  /** Only the last message makes the request: the earlier ones have tokens of their own and observe nothing. */
  private async upload(
    to: Conversation,
    request: OutgoingRequest,
    call: StreamCall,
    { blocks }: BlockPlan,
    szx = blocks?.szx,
  ): Promise<ResponseMessage> {
    if (blocks === undefined || szx === undefined)
      throw new BlockTransferFailed('the peer takes neither so large a message nor blocks');
    const send = ({ payload, block1, size1, last }: Parameters<Parameters<typeof upload>[2]>[0]) => {
      const extras = size1 === undefined ? { block1 } : { block1, size1 };
      return this.send(to, { request, payload, call: last ? call : PLAIN, extras });
    };
    return upload(request.payload ?? NO_PAYLOAD, szx, send, blocks.bertBytes);
  }

  private download(to: Conversation, request: OutgoingRequest, first: ResponseMessage): Promise<ReceivedResponse> {
    return download(first, {
      fetch: (block2) => this.fetchBlock(to, request, block2),
      bodyBytesMax: this.core.limits.bodyBytesMax,
      repeatable: request.method === Code.GET || request.method === Code.FETCH,
    });
  }

  /** A fresh token and no Observe (RFC 7959 §3.4). The body of a FETCH is part of what names the resource. */
  private fetchBlock(to: Conversation, request: OutgoingRequest, block2: BlockValue): Promise<StreamResponse> {
    const { etag: _etag, payload = NO_PAYLOAD, contentFormat, ...rest } = request;
    const named = request.method === Code.FETCH && contentFormat !== undefined ? { ...rest, contentFormat } : rest;
    const carried = request.method === Code.FETCH ? payload : NO_PAYLOAD;
    return this.send(to, { request: named, payload: carried, call: PLAIN, extras: { block2 } });
  }

  private send(to: Conversation, { request, payload, call, extras }: Leg): Promise<StreamResponse> {
    return new Promise((resolve, reject) => {
      if (to.gone !== undefined) throw to.gone;
      const token = call.token ?? this.core.tokens.next();
      const key = tokenKey(token);
      const observe = call.observe === undefined ? {} : { observe: call.observe };
      const options = writeRequestOptions(request, { ...extras, ...observe });
      const timer = this.core.timers.schedule(request.timeoutMs ?? MAX_TRANSMIT_WAIT_MS, () => {
        this.core.count('request-timed-out');
        // The connection kept the request; that nothing comes back makes the connection itself suspect.
        to.connection.suspect();
        finish(new RequestTimedOut(false));
      });
      const finish = (outcome: StreamResponse | CoapError): void => {
        timer.cancel();
        to.pending.delete(key);
        if (outcome instanceof CoapError) return reject(outcome);
        call.onResponse?.(outcome);
        resolve(outcome);
      };
      to.pending.set(key, { intent: call.intent, finish });
      try {
        to.connection.send({ code: request.method, token, options, payload });
        request.onSent?.({ token });
      } catch (error) {
        timer.cancel();
        to.pending.delete(key);
        throw error;
      }
    });
  }
}
