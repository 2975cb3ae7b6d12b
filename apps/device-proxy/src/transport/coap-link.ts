import {
  BlockTransferFailed,
  Code,
  type CoapEndpoint,
  type CoapNotification,
  formatCode,
  MessageTooLarge,
  NotConnected,
  type NotificationHandler,
  type Observation,
  type OutgoingRequest,
  type Peer,
  PeerReset,
  QueueFull,
  type ReceivedResponse,
  RequestTimedOut,
  type UnmatchedNotification,
  UnusableResponse,
} from '@lanyard/coap';
import {
  BodyUnavailable,
  ConnectionEnded,
  type DeviceAnswer,
  type DeviceLink,
  type DeviceRequest,
  type NewestReport,
  NoAnswer,
  NotSendable,
  NotSent,
  type ObservedAnswer,
  Refused,
  RequestAborted,
  type SentMessage,
  UnusableAnswer,
} from './device-link.js';
import { maskTickets } from './masked-tickets.js';
import type { Sender } from './sender.js';
import type { UplinkNotification } from './uplink-request.js';

/** How the transports differ: the notation of peers, and their senders. */
export interface Peers {
  addressOf(peer: Peer): string;
  /** Throws CoapError for an invalid address. */
  peerOf(address: string): Peer;
  /** undefined if the peer's connection has ended. */
  senderOf(peer: Peer): Sender | undefined;
  /** IP address and port that the peer was last seen at, if its address does not contain them. */
  remoteOf?(peer: Peer): string | undefined;
  /** Closes its connection; without connections nothing happens. */
  disconnect(peer: Peer, why: string): void;
}

/** Resolves with true when Kafka has stored the notification; with false when no observation has its token. */
export type DeliverNotification = (notification: UplinkNotification) => Promise<boolean>;

type Received = UnmatchedNotification & Partial<CoapNotification>;

const outgoing = ({ method, path, query = [], ...rest }: DeviceRequest): OutgoingRequest => ({
  ...rest,
  method: Code[method],
  path: path.split('/').filter(Boolean),
  query: [...query],
});

const answerOf = ({ code, payload, contentFormat, maxAgeSeconds, locationPath }: ReceivedResponse): DeviceAnswer => ({
  code: formatCode(code),
  payload: maskTickets(payload),
  ...(contentFormat !== undefined && { contentFormat }),
  ...(maxAgeSeconds !== undefined && { maxAgeSeconds }),
  ...(locationPath && locationPath.length > 0 && { location: locationPath }),
});

const linkErrorOf = (error: unknown): unknown => {
  if (error instanceof RequestTimedOut) return new NoAnswer(error.message, { cause: error });
  if (error instanceof NotConnected && error.sent) return new ConnectionEnded(error.message, { cause: error });
  if (error instanceof NotConnected || error instanceof QueueFull) return new NotSent(error.message, { cause: error });
  if (error instanceof PeerReset) {
    const { isLate, message } = error;
    return isLate ? new UnusableAnswer(message, { cause: error }) : new Refused(message, { cause: error });
  }
  if (error instanceof MessageTooLarge) return new NotSendable(error.message, { cause: error });
  if (error instanceof BlockTransferFailed || error instanceof UnusableResponse)
    return new UnusableAnswer(error.message, { cause: error });
  if (error instanceof BodyUnavailable || error instanceof NotSent) return error;
  return new RequestAborted(error instanceof Error ? error.message : String(error), { cause: error });
};

/**
 * Rejects with RequestAborted when the signal aborts, and with another error of device-link.ts when the work fails.
 * After an abort, nothing more is sent over UDP, because the address may be reused.
 */
const unlessAborted = <T>(work: Promise<T>, signal: AbortSignal): Promise<T> =>
  new Promise((resolve, reject) => {
    const abort = (): void => reject(new RequestAborted('the session ended'));
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    work
      .then(resolve, (error: unknown) => reject(linkErrorOf(error)))
      .finally(() => signal.removeEventListener('abort', abort));
  });

/** What the endpoint needs of an observation, shared by all devices that are observed with the same request. */
interface SharedObservation {
  request: OutgoingRequest;
  handler: NotificationHandler;
}

/** Limits the shared observations. At the limit, all are dropped, and created again when needed. */
const sharedMax = 10_000;

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Devices over CoAP: through the one socket they sent to, or over the connection that they opened. */
export class CoapLink implements DeviceLink {
  /** Observations of a path are alike on many devices: they share the request and the notification handler. */
  private readonly shared = new Map<string, SharedObservation>();
  /** Unwanted observations that are being cancelled, by peer and token. */
  private readonly cancelling = new Set<string>();
  private deliver: DeliverNotification = () => Promise.resolve(false);

  constructor(
    private readonly endpoint: CoapEndpoint,
    private readonly peers: Peers,
  ) {}

  onNotification(deliver: DeliverNotification): void {
    this.deliver = deliver;
  }

  async request(address: string, request: DeviceRequest, signal: AbortSignal): Promise<DeviceAnswer> {
    let isSent = false;
    const onSent = (message: SentMessage): void => {
      isSent = true;
      request.onSent?.(message);
    };
    try {
      const sent = { ...outgoing({ ...request, onSent }), signal };
      return answerOf(await unlessAborted(this.endpoint.request(this.peers.peerOf(address), sent), signal));
    } catch (error) {
      if (error instanceof RequestAborted && !isSent)
        throw new RequestAborted(error.message, { cause: error.cause }, false);
      return this.answeredInBlocks(error);
    }
  }

  async observe(address: string, request: DeviceRequest, signal: AbortSignal): Promise<ObservedAnswer> {
    const peer = this.peers.peerOf(address);
    const { beforeSending, onSent, ...observed } = request;
    const shared = this.sharedFor(observed);
    let isTokenKnown = false;
    // A notification may overtake the answer that reveals its token, so it waits for the answer.
    const handler = async (notification: CoapNotification): Promise<void> => {
      if (!isTokenKnown) await answered.then(nextTurn, nextTurn);
      await shared.handler(notification);
    };
    const answered = this.endpoint.observe(peer, { ...shared.request, signal, beforeSending, onSent }, handler);
    const observation = await unlessAborted<Observation<ReceivedResponse>>(answered, signal);
    setImmediate(() => {
      isTokenKnown = true;
      observation.handOver(shared.handler);
    });
    const answer = answerOf(observation.response);
    return observation.observing ? { answer, token: observation.token.toString('hex') } : { answer };
  }

  adopt(address: string, token: string, request: DeviceRequest, newest?: NewestReport): void {
    const { handler, request: sent } = this.sharedFor(request);
    const peer = this.peers.peerOf(address);
    this.endpoint.restoreObservation(peer, Buffer.from(token, 'hex'), handler, { request: sent, newest });
  }

  newest(address: string, token: string): NewestReport | undefined {
    return this.endpoint.newestNotification(this.peers.peerOf(address), Buffer.from(token, 'hex'));
  }

  async cancel(address: string, request: DeviceRequest, token: string, signal: AbortSignal): Promise<void> {
    const peer = this.peers.peerOf(address);
    const sent = { ...outgoing(request), signal };
    await unlessAborted(this.endpoint.cancelObservation(peer, Buffer.from(token, 'hex'), sent), signal);
  }

  forget(address: string, token: string): void {
    this.endpoint.forgetObservation(this.peers.peerOf(address), Buffer.from(token, 'hex'));
  }

  hold(address: string): void {
    this.endpoint.keepPeer(this.peers.peerOf(address));
  }

  release(address: string): void {
    this.endpoint.forgetPeer(this.peers.peerOf(address));
  }

  remoteOf(address: string): string | undefined {
    return this.peers.remoteOf?.(this.peers.peerOf(address));
  }

  disconnect(address: string, why: string): void {
    this.peers.disconnect(this.peers.peerOf(address), why);
  }

  private sharedFor(request: DeviceRequest): SharedObservation {
    const { path, query = [], accept, contentFormat, payload } = request;
    // A list of paths has the same bytes in SenML and in SenML-ETCH.
    const key = [path, query.join('&'), accept, contentFormat, payload?.toString('base64')].join(' ');
    const known = this.shared.get(key);
    if (known) return known;
    const sent = outgoing(request);
    const added: SharedObservation = { request: sent, handler: (notification) => this.handle(notification, sent) };
    if (this.shared.size >= sharedMax) this.shared.clear();
    this.shared.set(key, added);
    return added;
  }

  /** A notification without an observation is acknowledged, and the device is asked to stop. */
  private handle(notification: Received, request: OutgoingRequest): Promise<void> {
    return this.offer(notification).then((isObserved) => {
      if (isObserved) return;
      const { peer, token, tokenKey } = notification;
      const key = `${peer.key} ${tokenKey}`;
      if (this.cancelling.has(key)) return;
      this.cancelling.add(key);
      this.endpoint
        .cancelObservation(peer, token, request)
        .catch(() => undefined)
        .finally(() => this.cancelling.delete(key));
    });
  }

  /** False when no observation has the token. */
  offer({ peer, tokenKey, code, payload, contentFormat, maxAgeSeconds, partial, ended }: Received): Promise<boolean> {
    const sender = this.peers.senderOf(peer);
    if (sender === undefined) return Promise.resolve(false);
    // One object shape without spread: this runs for every value.
    return this.deliver({
      sender,
      address: this.peers.addressOf(peer),
      token: tokenKey,
      code: formatCode(code),
      payload: maskTickets(payload),
      contentFormat,
      maxAgeSeconds,
      partial,
      ended,
    });
  }

  /** A block-wise transfer that the device ended with an error code counts as answered. Rethrows any other error. */
  private answeredInBlocks(error: unknown): DeviceAnswer {
    const { cause } = error as { cause?: unknown };
    if (cause instanceof BlockTransferFailed && cause.code !== undefined)
      return { code: formatCode(cause.code), payload: Buffer.alloc(0) };
    throw error;
  }
}
