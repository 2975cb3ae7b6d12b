/** Counted events: every datagram that is not simply handled counts as one of them. */
export const COAP_EVENTS = [
  'datagram-received',
  'datagram-sent',
  'datagram-malformed',
  'datagram-rate-limited',
  'datagram-while-closing',
  'socket-error',
  'ping-answered',
  'request-duplicate',
  'request-refused-by-limit',
  'request-rejected-option',
  'request-handler-failed',
  'answer-dropped',
  'answer-unacknowledged',
  'acknowledgement-unmatched',
  'response-mismatched',
  'response-rejected-option',
  'response-duplicate',
  'response-unmatched-reset',
  'retransmission',
  'request-timed-out',
  'notification-accepted',
  'notification-rejected',
  'notification-duplicate',
  'notification-stale',
  'notification-refused-by-limit',
  'handler-error',
] as const;

export type CoapEvent = (typeof COAP_EVENTS)[number];

/** Sizes that every endpoint reports. */
export interface SharedGauges {
  observations: number;
  requestsOutstanding: number;
  requestsQueued: number;
  uploads: number;
  uploadBytes: number;
  storedAnswers: number;
}

export interface CoapGauges extends SharedGauges {
  peers: number;
  keptPeers: number;
  requestHandlersRunning: number;
  notificationHandlersRunning: number;
  timers: number;
}
