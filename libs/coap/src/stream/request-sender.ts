import { writeRequestOptions } from '../codec/request-options.js';
import { RequestTimedOut } from '../errors.js';
import { type RequestMessage, type RequestSender } from '../exchange/request-sender.js';
import { roundTrip } from '../exchange/round-trip.js';
import { type Peer } from '../messages/peer.js';
import { type OutgoingRequest } from '../messages/request.js';
import { type PendingRequest } from '../peer/pending-request.js';
import { MAX_TRANSMIT_WAIT_MS } from '../timing/transmission-parameters.js';
import { blockPlan } from './block-plan.js';
import { type Conversation, type StreamResponse } from './conversation.js';
import { type StreamCore } from './core.js';

/** Sends requests over a connection, each in one message if the peer accepts it. */
export function streamRequestSender(
  core: StreamCore,
  reach: (peer: Peer) => Conversation,
): RequestSender<Conversation, StreamResponse> {
  return {
    reach,
    planFor: ({ connection }, request: OutgoingRequest) =>
      blockPlan(connection.capabilities, writeRequestOptions(request, {})),
    // After the request was sent, a signal changes nothing: there is no Reset to end what a late response may have begun.
    roundTrip: (to, out) => roundTrip(to, out, (pending) => send(core, to, out, pending)),
  };
}

function send(
  core: StreamCore,
  to: Conversation,
  { request, token, options, payload }: RequestMessage<StreamResponse>,
  pending: PendingRequest<StreamResponse>,
): void {
  pending.responseTimer = core.timers.schedule(request.timeoutMs ?? MAX_TRANSMIT_WAIT_MS, () => {
    core.count('request-timed-out');
    // The connection loses no request, so a missing answer makes the connection itself suspect.
    to.connection.checkAlive();
    pending.finish(new RequestTimedOut(false));
  });
  to.connection.send({ code: request.method, token, options, payload });
  request.onSent?.({ token });
}
