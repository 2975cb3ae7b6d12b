import { receivedResponse } from '../blockwise/body-download.js';
import { isSuccessCode } from '../codec/code.js';
import { tokenKey } from '../codec/tokens.js';
import { type Requester, type RequesterCore } from '../exchange/requester.js';
import { type CoapNotification, type NotificationHandler, type Observation } from '../messages/notification.js';
import { type Peer } from '../messages/peer.js';
import { type OutgoingRequest } from '../messages/request.js';
import { type ReceivedResponse } from '../messages/response.js';
import { type ClientState } from '../peer/client-state.js';
import { type NewestNotification } from '../peer/observe-order.js';
import { type Observed } from '../peer/observation-entry.js';
import { type ResponseMessage } from '../peer/pending-request.js';
import { notificationOf, type NotificationProperties } from './notification-of.js';

/** An observation that another endpoint created. */
export interface EarlierObservation {
  /** Used to fetch further blocks of a large notification. */
  request?: OutgoingRequest | undefined;
  /** Notifications older than this are discarded. */
  newest?: NewestNotification | undefined;
}

/** The observing side, over any transport: registers, completes and cancels. Subclasses receive the notifications. */
export abstract class Observer<
  To extends ClientState<Entry, Response>,
  Entry extends Observed,
  Response extends ResponseMessage,
> {
  constructor(
    protected readonly core: RequesterCore,
    protected readonly requester: Requester<To, Response>,
  ) {}

  async observe(
    peer: Peer,
    { token: wanted, ...request }: OutgoingRequest & { token?: Buffer },
    handler: NotificationHandler,
  ): Promise<Observation<ReceivedResponse>> {
    const token = wanted ?? this.core.tokens.next();
    // The signal and the callbacks belong to the registration alone, not to the blocks of later notifications.
    const { signal: _signal, beforeSending: _beforeSending, onSent: _onSent, ...described } = request;
    const entry = this.entryOf(tokenKey(token), handler, described);
    let observing = false;
    const onResponse = (response: Response): void => {
      observing = this.addIfAccepted(peer, entry, response);
    };
    try {
      const response = await this.requester.request(peer, request, {
        intent: 'observe',
        token,
        observe: 0,
        onResponse,
      });
      return {
        response,
        token,
        observing,
        cancel: () => this.forget(peer, entry),
        handOver: (next) => {
          entry.handler = next;
        },
      };
    } catch (error) {
      this.forget(peer, entry);
      throw error;
    }
  }

  /** Adds an observation that this endpoint did not register. One that is already known stays as it is. */
  restore(peer: Peer, token: Buffer, handler: NotificationHandler, earlier: EarlierObservation): void {
    const key = tokenKey(token);
    if (this.stateOf(peer)?.observations?.has(key)) return;
    const entry = this.entryOf(key, handler, earlier.request);
    this.setEarlierPosition(entry, earlier);
    this.add(peer, entry);
  }

  /** Cancels the observation at the peer. Whatever the outcome, it is dropped here, and later notifications match nothing. */
  async cancel(peer: Peer, token: Buffer, request: OutgoingRequest): Promise<ReceivedResponse> {
    const entry = this.stateOf(peer)?.observations?.get(tokenKey(token));
    try {
      return await this.requester.request(peer, request, { intent: 'cancel', token, observe: 1 });
    } finally {
      if (entry !== undefined) this.forget(peer, entry);
    }
  }

  /** The position of the newest notification of an observation. None where the transport keeps the order. */
  newest(_peer: Peer, _token: Buffer): NewestNotification | undefined {
    return undefined;
  }

  observes(peer: Peer, token: Buffer): boolean {
    return this.stateOf(peer)?.observations?.has(tokenKey(token)) ?? false;
  }

  /** Drops the observation without a message to the peer. */
  drop(peer: Peer, token: Buffer): void {
    this.stateOf(peer)?.observations?.delete(tokenKey(token));
  }

  protected abstract entryOf(key: string, handler: NotificationHandler, request: OutgoingRequest | undefined): Entry;

  /** Undefined when there is no state of the peer. */
  protected abstract stateOf(peer: Peer): To | undefined;

  /** Keeps the state of the peer for an observation; undefined when there can be none. */
  protected abstract keepState(peer: Peer): To | undefined;

  /**
   * Sets the position that orders notifications, before the first can arrive. Does nothing where the transport keeps
   * the order.
   */
  protected setFirstPosition(_entry: Entry, _response: Response): void {}

  /** As `setFirstPosition`, for an observation that another endpoint created. */
  protected setEarlierPosition(_entry: Entry, _earlier: EarlierObservation): void {}

  /** Calls the handler with a notification once all blocks of it have been received. Rejects if the handler fails. */
  protected callHandler(
    peer: Peer,
    to: To,
    entry: Entry,
    response: Response,
    properties: NotificationProperties,
  ): Promise<void> {
    const { token, payload } = response.message;
    // The entry for all unknown tokens, which only connections have, has an empty key.
    const notification = (body: ReceivedResponse): CoapNotification =>
      notificationOf(peer, token, entry.key || tokenKey(token), body, properties);
    if (properties.incomplete && entry.request !== undefined)
      return this.complete(to, entry.request, response).then((body) => entry.handler(notification(body)));
    try {
      return entry.handler(notification(receivedResponse(response, payload)));
    } catch (error) {
      return Promise.reject(error as Error);
    }
  }

  protected complete(to: To, request: OutgoingRequest, first: Response): Promise<ReceivedResponse> {
    return this.requester.complete(to, request, first);
  }

  private add(peer: Peer, entry: Entry): void {
    const state = this.keepState(peer);
    if (state !== undefined) (state.observations ??= new Map<string, Entry>()).set(entry.key, entry);
  }

  /** Removes the observation, but not a later one with the same token. */
  protected forget(peer: Peer, entry: Entry): void {
    const observations = this.stateOf(peer)?.observations;
    if (observations?.get(entry.key) === entry) observations.delete(entry.key);
  }

  /**
   * Adds the observation if the peer has accepted it, and returns whether it has. Called before any notification can
   * arrive, which may be the very next message.
   */
  private addIfAccepted(peer: Peer, entry: Entry, response: Response): boolean {
    const observing = isSuccessCode(response.message.code) && response.options.observe !== undefined;
    if (observing) {
      this.setFirstPosition(entry, response);
      this.add(peer, entry);
    } else this.stateOf(peer)?.observations?.delete(entry.key);
    return observing;
  }
}
