import { encodeMessage } from '../codec/encode.js';
import { blockBytes, szxOf } from '../codec/block-value.js';
import { type EndpointCore } from '../core/core.js';
import { CoapError, PeerReset, RequestAbandoned, RequestTimedOut } from '../errors.js';
import { type PeerState } from '../peer/peer-state.js';
import { MAX_TRANSMIT_WAIT_MS } from '../timing/transmission-parameters.js';
import { type IncomingResponse, PendingRequest } from '../peer/pending-request.js';
import { type OutgoingRequest } from '../messages/request.js';
import { type TransmissionOutcome } from '../peer/transmission.js';
import { type RequestLine, type RequestMessage } from './request-line.js';

/** Requests over UDP, in blocks of our size. */
export function datagramLine(core: EndpointCore): RequestLine<PeerState, IncomingResponse> {
  const szx = szxOf(core.limits.blockBytes);
  const plan = { wholeBytesMax: blockBytes(szx), blocks: { szx } };
  return {
    reach: (peer) => core.peers.obtain(peer),
    planFor: () => plan,
    roundTrip: (state, message) => roundTrip(core, state, message),
  };
}

type Message = RequestMessage<IncomingResponse>;

/**
 * Sends one request message and waits for its response. The caller holds the turn of the peer's queue.
 * @throws RequestTimedOut, RequestAbandoned, PeerReset, UnusableResponse, PeerForgotten, EndpointClosed, UnencodableMessage
 */
function roundTrip(core: EndpointCore, state: PeerState, out: Message): Promise<IncomingResponse> {
  return new Promise((resolve, reject) => {
    if (state.gone !== undefined) throw state.gone;
    const { signal } = out.request;
    if (signal?.aborted) throw new RequestAbandoned();
    const abandon = (): void => pending.finish(new RequestAbandoned());
    const messageId = core.messageIdFor(state);
    const confirmable = out.request.confirmable ?? true;
    const bytes = encodeMessage({
      type: confirmable ? 'CON' : 'NON',
      code: out.request.method,
      messageId,
      token: out.token,
      options: out.options,
      payload: out.payload,
    });
    const pending = new PendingRequest(messageId, out.token, out.intent, (outcome) => {
      state.endRequest(pending);
      signal?.removeEventListener('abort', abandon);
      if (outcome instanceof CoapError) {
        reject(outcome);
        return;
      }
      out.onResponse?.(outcome);
      resolve(outcome);
    });
    state.beginRequest(pending);
    signal?.addEventListener('abort', abandon);
    if (confirmable) {
      pending.transmission = core.transmit(state, messageId, bytes, out.request, (outcome) => {
        settle(core, pending, out.request, outcome);
      });
    } else {
      core.send(state.peer, bytes);
      awaitResponse(core, pending, out.request);
    }
    out.request.onSent?.({ token: out.token, messageId });
  });
}

function settle(
  core: EndpointCore,
  pending: PendingRequest,
  request: OutgoingRequest,
  outcome: TransmissionOutcome,
): void {
  if (outcome === 'reset') pending.finish(new PeerReset());
  else if (outcome === 'timed-out') timeOut(core, pending);
  else {
    pending.acknowledged = true;
    awaitResponse(core, pending, request);
  }
}

function awaitResponse(core: EndpointCore, pending: PendingRequest, request: OutgoingRequest): void {
  const timeoutMs = request.timeoutMs ?? MAX_TRANSMIT_WAIT_MS;
  pending.responseTimer = core.timers.schedule(timeoutMs, () => timeOut(core, pending));
}

function timeOut(core: EndpointCore, pending: PendingRequest): void {
  core.count('request-timed-out');
  pending.finish(new RequestTimedOut(pending.acknowledged));
}
