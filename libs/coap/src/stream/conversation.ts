import { type StreamMessage } from '../codec/stream-message.js';
import { type CoapError, PeerForgotten } from '../errors.js';
import { type RequestIntent, type ResponseMessage } from '../peer/pending-request.js';
import { Observed } from '../peer/observation-entry.js';
import { PeerQueue } from '../peer/peer-queue.js';
import { type Connection } from './connection.js';
import { type StreamCore } from './core.js';

/** A response over a connection whose options were read. */
export interface StreamResponse extends ResponseMessage {
  message: StreamMessage;
}

/** A request that waits for its response. */
export interface PendingStreamRequest {
  intent: RequestIntent;
  finish(outcome: StreamResponse | CoapError): void;
}

/** An observation: the connection gives the order, so no number is compared (RFC 8323 §7.1). */
export class StreamObservation extends Observed {
  /** The last notification that is being handled: the next one follows it. */
  tail = Promise.resolve();
}

/** The CoAP state of one connection, which ends with it. */
export class Conversation {
  readonly queue = new PeerQueue();
  /** By `tokenKey`. */
  readonly pending = new Map<string, PendingStreamRequest>();
  readonly observations = new Map<string, StreamObservation>();
  /** Represents all responses with an unknown token. */
  strangers: StreamObservation | undefined;
  readonly running = { requests: 0, notifications: 0 };
  /** Set once the connection ended; code that still holds a reference must stop. */
  gone: CoapError | undefined;
  connection!: Connection;

  constructor(private readonly core: StreamCore) {}

  get idle(): boolean {
    return !this.queue.busy && this.running.requests + this.running.notifications === 0;
  }

  begin(kind: 'requests' | 'notifications'): void {
    this.running[kind] += 1;
    this.core.running[kind] += 1;
    this.regulate();
  }

  end(kind: 'requests' | 'notifications'): void {
    this.running[kind] -= 1;
    this.core.running[kind] -= 1;
    this.regulate();
    if (this.connection.releasing) this.connection.inspect();
  }

  /** Forgets all requests to the peer; the connection stays. */
  forget(error: CoapError = new PeerForgotten(), ofSent = error): void {
    this.queue.abandon(error);
    for (const pending of [...this.pending.values()]) pending.finish(ofSent);
    this.observations.clear();
  }

  /** The connection has ended. */
  abandon(error: CoapError, ofSent: CoapError): void {
    this.gone = error;
    this.forget(error, ofSent);
  }

  /** A peer that sends too fast is not read until there is room. */
  private regulate(): void {
    const { limits, running } = this.core;
    const full =
      this.running.requests >= limits.requestsInFlightPerPeerMax ||
      this.running.notifications >= limits.notificationsInFlightPerPeerMax ||
      (this.running.notifications > 0 && running.notifications >= limits.notificationsInFlightMax);
    this.connection.pause(full);
  }
}
