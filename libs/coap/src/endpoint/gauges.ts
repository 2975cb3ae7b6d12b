import { type Responder } from '../exchange/responder.js';
import { type EndpointCore } from '../core/core.js';
import { type CoapGauges } from '../core/events.js';

export function readGauges(core: EndpointCore, responder: Responder): CoapGauges {
  let observations = 0;
  let requestsOutstanding = 0;
  let requestsQueued = 0;
  for (const state of core.peers.all()) {
    observations += state.observations?.size ?? 0;
    requestsOutstanding += state.queue.busy ? 1 : 0;
    requestsQueued += state.queue.length;
  }
  return {
    peers: core.peers.size,
    keptPeers: core.peers.keptSize,
    observations,
    requestsOutstanding,
    requestsQueued,
    requestHandlersRunning: core.inFlight.count('request'),
    notificationHandlersRunning: core.inFlight.count('notification'),
    ...responder.answering.held(),
    timers: core.timers.size,
  };
}
