import { type StreamMessage } from '../codec/stream-message.js';
import { type CoapError, PeerForgotten } from '../errors.js';
import { ClientState } from '../peer/client-state.js';
import { Observed } from '../peer/observation-entry.js';
import { type ResponseMessage } from '../peer/pending-request.js';
import { type Connection } from './connection.js';
import { type StreamCore } from './core.js';

/** A response over a connection, with its options read. */
export interface StreamResponse extends ResponseMessage {
  message: StreamMessage;
}

/** An observation. The connection keeps the order, so no numbers are compared (RFC 8323 §7.1). */
export class StreamObservation extends Observed {
  /** The last notification that is being handled; the next one is handled after it. */
  tail = Promise.resolve();
}

/** The CoAP state of one connection, which ends with it. */
export class Conversation extends ClientState<StreamObservation, StreamResponse> {
  /** Represents all responses with an unknown token. */
  unknownTokens: StreamObservation | undefined;
  readonly running = { requests: 0, notifications: 0 };
  connection!: Connection;

  constructor(private readonly core: StreamCore) {
    super();
  }

  get idle(): boolean {
    return !this.queue.busy && this.running.requests + this.running.notifications === 0;
  }

  beginExchange(kind: 'requests' | 'notifications'): void {
    this.running[kind] += 1;
    this.core.running[kind] += 1;
    this.regulate();
  }

  endExchange(kind: 'requests' | 'notifications'): void {
    this.running[kind] -= 1;
    this.core.running[kind] -= 1;
    this.regulate();
    if (this.connection.releasing) this.connection.inspect();
  }

  /** Forgets all requests to the peer; the connection stays. */
  forget(error: CoapError = new PeerForgotten(), ofSent = error): void {
    this.abandonRequests(error, ofSent);
    this.observations = undefined;
  }

  /** Called when the connection has ended. */
  abandon(error: CoapError, ofSent: CoapError): void {
    this.gone = error;
    this.forget(error, ofSent);
  }

  /**
   * A peer that sends too fast is not read from until there is room. The limit for all peers together pauses only a
   * peer with a running notification, because the limits are checked again for this peer when that has ended.
   */
  private regulate(): void {
    const { limits, running } = this.core;
    const full =
      this.running.requests >= limits.requestsInFlightPerPeerMax ||
      this.running.notifications >= limits.notificationsInFlightPerPeerMax ||
      (this.running.notifications > 0 && running.notifications >= limits.notificationsInFlightMax);
    this.connection.setPaused(full);
  }
}
