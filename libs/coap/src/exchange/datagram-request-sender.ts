import { encodeMessage } from '../codec/encode.js';
import { blockBytes, szxOf } from '../codec/block-value.js';
import { type EndpointCore } from '../state/core.js';
import { PeerReset, RequestTimedOut } from '../errors.js';
import { type PeerState } from '../peer/peer-state.js';
import { MAX_TRANSMIT_WAIT_MS } from '../timing/transmission-parameters.js';
import { type IncomingResponse, type PendingRequest } from '../peer/pending-request.js';
import { type OutgoingRequest } from '../messages/request.js';
import { type TransmissionOutcome } from '../peer/transmission.js';
import { type RequestMessage, type RequestSender } from './request-sender.js';
import { roundTrip } from './round-trip.js';

type Message = RequestMessage<IncomingResponse>;
type Pending = PendingRequest<IncomingResponse>;

/** Sends requests in datagrams, in blocks of the size for the peer. */
export function datagramRequestSender(core: EndpointCore): RequestSender<PeerState, IncomingResponse> {
  return {
    reach: (peer) => core.reach(peer),
    planFor: ({ peer }) => {
      const szx = szxOf(core.blockBytes(peer));
      return { wholeBytesMax: blockBytes(szx), blocks: { szx } };
    },
    // After the signal aborts, a late response is answered with a Reset.
    roundTrip: (state, out) =>
      roundTrip(state, out, (pending) => sendInTime(core, state, out, pending), out.request.signal),
  };
}

/** Sends the request, or waits until its message id may be used again. It is pending meanwhile, so that it can end. */
function sendInTime(core: EndpointCore, state: PeerState, out: Message, pending: Pending): void {
  const waitMs = state.messageIdWaitMs(core.clock.nowMs());
  if (waitMs === 0) {
    send(core, state, out, pending);
    return;
  }
  pending.responseTimer = core.timers.schedule(waitMs, () => {
    try {
      sendInTime(core, state, out, pending);
    } catch (error) {
      pending.finish(error as Error);
    }
  });
}

function send(core: EndpointCore, state: PeerState, out: Message, pending: Pending): void {
  const { request, token, options, payload } = out;
  const messageId = core.messageIdFor(state);
  const confirmable = request.confirmable ?? true;
  const type = confirmable ? 'CON' : 'NON';
  const bytes = encodeMessage({ type, code: request.method, messageId, token, options, payload });
  pending.messageId = messageId;
  if (confirmable) {
    pending.transmission = core.transmit(state, messageId, bytes, request, (outcome) => {
      settleRequest(core, pending, request, outcome);
    });
  } else {
    core.send(state.peer, bytes);
    awaitResponse(core, pending, request);
  }
  request.onSent?.({ token, messageId });
}

function settleRequest(
  core: EndpointCore,
  pending: Pending,
  request: OutgoingRequest,
  outcome: TransmissionOutcome,
): void {
  if (outcome === 'reset') pending.finish(new PeerReset(pending.transmission?.isRepeated));
  else if (outcome === 'timed-out') timeOut(core, pending);
  else {
    pending.acknowledged = true;
    awaitResponse(core, pending, request);
  }
}

function awaitResponse(core: EndpointCore, pending: Pending, request: OutgoingRequest): void {
  const timeoutMs = request.timeoutMs ?? MAX_TRANSMIT_WAIT_MS;
  pending.responseTimer = core.timers.schedule(timeoutMs, () => timeOut(core, pending));
}

function timeOut(core: EndpointCore, pending: Pending): void {
  core.count('request-timed-out');
  pending.finish(new RequestTimedOut(pending.acknowledged));
}
