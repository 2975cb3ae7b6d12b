import { crc32 } from 'node:zlib';
import { received } from '../blockwise/body-download.js';
import { isSuccessCode } from '../codec/code.js';
import { type EndpointCore } from '../core/core.js';
import { type IncomingResponse } from '../peer/pending-request.js';
import { type OutgoingRequest } from '../messages/request.js';
import { type Requester } from '../exchange/requester.js';
import { type ReceivedResponse } from '../messages/response.js';
import { type PeerState } from '../peer/peer-state.js';
import { type Peer } from '../messages/peer.js';
import { type About, aboutOf, notificationOf } from './notification-of.js';
import { type NotificationHandler, type Observation } from '../messages/notification.js';
import { ObservationEntry } from '../peer/observation-entry.js';
import { type NewestNotification, type ObservePosition } from '../peer/observe-order.js';
import { withChances } from './second-chances.js';
import { tokenKey } from '../codec/tokens.js';
import { type Turn } from '../peer/turn.js';

/** What is known of an observation that another endpoint made. */
export interface Before {
  /** To fetch further blocks of a large notification. */
  request?: OutgoingRequest | undefined;
  /** An older notification goes nowhere. */
  newest?: Omit<NewestNotification, 'tokenKey'> | undefined;
}

/** The side that observes: registers, receives, ends. */
export class Observer {
  constructor(
    private readonly core: EndpointCore,
    private readonly requester: Requester,
  ) {}

  async observe(
    peer: Peer,
    request: OutgoingRequest & { token?: Buffer },
    handler: NotificationHandler,
  ): Promise<Observation<ReceivedResponse>> {
    const { token: wanted, ...plain } = request;
    const token = wanted ?? this.core.tokens.next();
    // The signal and the callback belong to the registration alone, not to the blocks of later notifications.
    const { signal: _signal, onSent: _onSent, ...described } = plain;
    const entry = new ObservationEntry(tokenKey(token), handler, described);
    let observing = false;
    const onResponse = (response: IncomingResponse): void => {
      observing = this.begin(peer, entry, response);
    };
    try {
      const response = await this.requester.request(peer, plain, { intent: 'observe', token, observe: 0, onResponse });
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

  /** Before any notification can arrive: it may be the very next datagram. */
  private begin(peer: Peer, entry: ObservationEntry, response: IncomingResponse): boolean {
    const position = this.positionOf(response);
    if (!isSuccessCode(response.message.code) || position === undefined) {
      this.core.peers.get(peer.key)?.observations?.delete(entry.key);
      return false;
    }
    entry.reached(position);
    this.add(peer, entry);
    return true;
  }

  restore(peer: Peer, token: Buffer, handler: NotificationHandler, before: Before): void {
    const key = tokenKey(token);
    if (this.core.peers.get(peer.key)?.observations?.has(key)) return;
    const entry = new ObservationEntry(key, handler, before.request);
    const { newest } = before;
    if (newest)
      entry.reached({ number: newest.number, print: newest.print, atMs: this.core.clock.nowMs() - newest.ageMs });
    this.add(peer, entry);
  }

  newest(peer: Peer): NewestNotification[] {
    const nowMs = this.core.clock.nowMs();
    const all: NewestNotification[] = [];
    for (const { key, newest } of this.core.peers.get(peer.key)?.observations?.values() ?? [])
      if (newest) all.push({ tokenKey: key, number: newest.number, print: newest.print, ageMs: nowMs - newest.atMs });
    return all;
  }

  /** Ends it on the device. Regardless of the outcome it is dropped here, and later notifications get an RST. */
  async cancel(peer: Peer, token: Buffer, request: OutgoingRequest): Promise<ReceivedResponse> {
    const entry = this.core.peers.get(peer.key)?.observations?.get(tokenKey(token));
    try {
      return await this.requester.request(peer, request, { intent: 'cancel', token, observe: 1 });
    } finally {
      if (entry !== undefined) this.forget(peer, entry);
    }
  }

  /**
   * A notification for a known observation, no duplicate of another. Never throws. What is done for every notification
   * is not `async`: each such function costs a promise, and the acknowledgement a turn more.
   */
  deliver(state: PeerState, entry: ObservationEntry, response: IncomingResponse): void {
    const { message } = response;
    if (!this.core.inFlight.hasRoom(state.peer, state, 'notification')) {
      this.core.count('notification-refused-by-limit');
      return;
    }
    const inFlight = this.core.inFlight.begin(state.peer, state, message, 'notification');
    const end = (): void => this.core.inFlight.end(state.peer, state, inFlight);
    withChances(this.core, message, () => this.attempt(state, entry, response)).then(end, (error: unknown) => {
      this.core.report(error);
      end();
    });
  }

  /** False when the handler failed. Nothing is awaited before it is called where nothing has to be. */
  private attempt(
    state: PeerState,
    entry: ObservationEntry,
    response: IncomingResponse,
    // Without a number there is no order but that of arrival.
    position = this.positionOf(response),
  ): Promise<boolean> {
    const turn = position && entry.turn(position);
    if (turn instanceof Promise) return turn.then(() => this.attempt(state, entry, response, position));
    if (turn !== 'stale') return this.take(state, entry, response, turn);
    this.core.count('notification-stale');
    this.core.acknowledge(response.message, state.peer, this.core.peers.get(state.peer.key));
    return Promise.resolve(true);
  }

  /** The acknowledgement leaves only after the handler said that the value is safe. */
  private take(
    state: PeerState,
    entry: ObservationEntry,
    response: IncomingResponse,
    turn: Turn | undefined,
  ): Promise<boolean> {
    const about = aboutOf(entry, response);
    return this.hand(state, entry, response, about).then(
      () => {
        this.settle(state, entry, about, turn);
        this.core.count('notification-accepted');
        if (turn !== undefined) entry.end(turn, true);
        return true;
      },
      (error: unknown) => {
        this.core.count('notification-rejected');
        this.core.report(error);
        if (turn !== undefined) entry.end(turn, false);
        return false;
      },
    );
  }

  /** Passes it to the handler once it is complete. */
  private hand(state: PeerState, entry: ObservationEntry, response: IncomingResponse, about: About): Promise<void> {
    const { message } = response;
    if (about.incomplete && entry.request !== undefined)
      return this.requester
        .complete(state, entry.request, response)
        .then((body) => entry.handler(notificationOf(state.peer, message.token, entry.key, body, about)));
    try {
      const body = received(response, message.payload);
      return entry.handler(notificationOf(state.peer, message.token, entry.key, body, about));
    } catch (error) {
      return Promise.reject(error as Error);
    }
  }

  private settle(
    state: PeerState,
    entry: ObservationEntry,
    { message, ended, partial }: About,
    turn: Turn | undefined,
  ): void {
    const { peer } = state;
    if (ended) this.forget(peer, entry);
    const now = state.gone ? this.core.peers.get(peer.key) : state;
    if (partial) this.core.reset(message, peer, now);
    else this.core.acknowledge(message, peer, now, { token: entry.key, print: turn && turn.position.print | 0 });
  }

  /** Of a message that is looked at now; undefined without an Observe number. */
  positionOf({ message, options }: IncomingResponse): ObservePosition | undefined {
    const { observe: number } = options;
    return number === undefined ? undefined : { number, print: crc32(message.payload), atMs: this.core.clock.nowMs() };
  }

  private add(peer: Peer, entry: ObservationEntry): void {
    this.core.peers.keep(peer);
    const state = this.core.peers.obtain(peer);
    state.observations ??= new Map();
    state.observations.set(entry.key, entry);
  }

  /** A later observation with the same token is left alone. */
  private forget(peer: Peer, entry: ObservationEntry): void {
    const observations = this.core.peers.get(peer.key)?.observations;
    if (observations?.get(entry.key) === entry) observations.delete(entry.key);
  }
}
