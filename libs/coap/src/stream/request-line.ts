import { writeRequestOptions } from '../codec/request-options.js';
import { tokenKey } from '../codec/tokens.js';
import { CoapError, RequestTimedOut } from '../errors.js';
import { type RequestLine, type RequestMessage } from '../exchange/request-line.js';
import { type Peer } from '../messages/peer.js';
import { type OutgoingRequest } from '../messages/request.js';
import { MAX_TRANSMIT_WAIT_MS } from '../timing/transmission-parameters.js';
import { blockPlan } from './block-plan.js';
import { type Conversation, type StreamResponse } from './conversation.js';
import { type StreamCore } from './core.js';

/** Requests over a connection, in one message each where the peer takes it. */
export function streamLine(
  core: StreamCore,
  reach: (peer: Peer) => Conversation,
): RequestLine<Conversation, StreamResponse> {
  return {
    reach,
    planFor: ({ connection }, request: OutgoingRequest) =>
      blockPlan(connection.capabilities, writeRequestOptions(request, {})),
    roundTrip: (to, message) => roundTrip(core, to, message),
  };
}

function roundTrip(core: StreamCore, to: Conversation, out: RequestMessage<StreamResponse>): Promise<StreamResponse> {
  return new Promise((resolve, reject) => {
    if (to.gone !== undefined) throw to.gone;
    const { request, token, options, payload } = out;
    const key = tokenKey(token);
    const timer = core.timers.schedule(request.timeoutMs ?? MAX_TRANSMIT_WAIT_MS, () => {
      core.count('request-timed-out');
      // The connection kept the request; that nothing comes back makes the connection itself suspect.
      to.connection.suspect();
      finish(new RequestTimedOut(false));
    });
    const finish = (outcome: StreamResponse | CoapError): void => {
      timer.cancel();
      to.pending.delete(key);
      if (outcome instanceof CoapError) return reject(outcome);
      out.onResponse?.(outcome);
      resolve(outcome);
    };
    to.pending.set(key, { intent: out.intent, finish });
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
