import { type Conversation } from './conversation.js';
import { type StreamCore } from './core.js';
import { type StreamGauges } from './events.js';
import { type StreamResponder } from './responder.js';

export function readStreamGauges(
  core: StreamCore,
  sockets: number,
  conversations: Iterable<Conversation>,
  responder: StreamResponder,
): StreamGauges {
  const gauges: StreamGauges = {
    connections: sockets,
    openConnections: 0,
    observations: 0,
    requestsOutstanding: 0,
    requestsQueued: 0,
    requestHandlersRunning: core.running.requests,
    notificationHandlersRunning: core.running.notifications,
    incompleteBytes: core.incompleteBytes,
    ...responder.answering.held(),
  };
  for (const { connection, observations, queue } of conversations) {
    gauges.openConnections += connection.isOpen ? 1 : 0;
    gauges.observations += observations.size;
    gauges.requestsOutstanding += queue.busy ? 1 : 0;
    gauges.requestsQueued += queue.length;
  }
  return gauges;
}
