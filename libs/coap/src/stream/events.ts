import { type SharedGauges } from '../state/events.js';

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

export interface StreamGauges extends SharedGauges {
  /** Including those in a handshake. */
  connections: number;
  openConnections: number;
  requestHandlersRunning: number;
  notificationHandlersRunning: number;
  incompleteBytes: number;
}
