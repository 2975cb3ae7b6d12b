/** Counted events of connections. */
export const STREAM_EVENTS = [
  'connection-opened',
  'connection-closed',
  'connection-refused',
  'connection-refused-by-limit',
  'connection-half-open',
  'connection-idle',
  'connection-silent',
  'connection-slow',
  'handshake-failed',
  'message-received',
  'message-sent',
  'message-malformed',
  'message-too-large',
  'abort-received',
  'abort-sent',
  'request-refused-by-limit',
  'request-rejected-option',
  'request-handler-failed',
  'request-timed-out',
  'response-rejected-option',
  'response-unmatched',
  'notification-accepted',
  'notification-rejected',
  'handler-error',
] as const;

export type StreamEvent = (typeof STREAM_EVENTS)[number];

export interface StreamGauges {
  /** Including those in a handshake. */
  connections: number;
  openConnections: number;
  observations: number;
  requestsOutstanding: number;
  requestsQueued: number;
  requestHandlersRunning: number;
  notificationHandlersRunning: number;
  incompleteBytes: number;
  uploads: number;
  uploadBytes: number;
  storedAnswers: number;
}
