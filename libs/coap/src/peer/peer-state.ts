import { randomInt } from 'node:crypto';
import { type CoapError } from '../errors.js';
import { type PendingRequest } from './pending-request.js';
import { type Transmission } from './transmission.js';
import { type ObservationEntry } from './observation-entry.js';
import { AnswerRing } from './answer-ring.js';
import { PeerQueue } from './peer-queue.js';
import { type Peer } from '../messages/peer.js';
import { type InFlight } from './running.js';

const none: readonly Transmission[] = [];
const nothingPending: readonly PendingRequest[] = [];

/** Non-confirmable notifications that a Reset can still refer to. */
const RESETTABLE_MAX = 8;

/** The state of one peer. Created by our own actions, never by a datagram. */
export class PeerState {
  kept = false;
  readonly queue = new PeerQueue();
  /** At most two: a request, and a block of a notification. */
  private pending = nothingPending;
  /** Rejects the confirmable notification in flight. */
  abandonNotification: ((error: CoapError) => void) | undefined;
  /** Confirmable messages in flight: the one of the interaction and any separate responses. */
  transmissions: readonly Transmission[] = none;
  /** By `tokenKey`. */
  observations: Map<string, ObservationEntry> | undefined;
  readonly answers = new AnswerRing();
  /** Messages of this peer whose handler runs. */
  running: InFlight[] | undefined;
  /** Set once this was dropped; code that still holds a reference must stop. */
  gone: CoapError | undefined;
  private lastMessageId = randomInt(65_536);
  private resettable: { messageId: number; token: Buffer }[] | undefined;

  constructor(
    readonly peer: Peer,
    public lastUsedMs: number,
  ) {}

  nextMessageId(nowMs: number): number {
    this.lastUsedMs = nowMs;
    return (this.lastMessageId = (this.lastMessageId + 1) & 0xffff);
  }

  /** Nothing would be missed but the answers to late duplicates. */
  get idle(): boolean {
    return !this.queue.busy && this.transmissions.length === 0 && (this.observations?.size ?? 0) === 0;
  }

  transmission(messageId: number): Transmission | undefined {
    return this.transmissions.find((one) => one.messageId === messageId);
  }

  beginTransmission(transmission: Transmission): void {
    this.transmissions = this.transmissions.concat(transmission);
  }

  endTransmission(transmission: Transmission): void {
    const left = this.transmissions.filter((one) => one !== transmission);
    this.transmissions = left.length === 0 ? none : left;
  }

  pendingOf(messageId: number): PendingRequest | undefined {
    return this.pending.find((one) => one.messageId === messageId);
  }

  pendingWith(token: Buffer): PendingRequest | undefined {
    return this.pending.find((one) => one.token.equals(token));
  }

  beginRequest(request: PendingRequest): void {
    this.pending = this.pending.concat(request);
  }

  endRequest(request: PendingRequest): void {
    const left = this.pending.filter((one) => one !== request);
    this.pending = left.length === 0 ? nothingPending : left;
  }

  rememberResettable(messageId: number, token: Buffer): void {
    this.resettable ??= [];
    if (this.resettable.push({ messageId, token }) > RESETTABLE_MAX) this.resettable.shift();
  }

  takeResettable(messageId: number): Buffer | undefined {
    const index = this.resettable?.findIndex((one) => one.messageId === messageId) ?? -1;
    return index < 0 ? undefined : this.resettable!.splice(index, 1)[0]!.token;
  }

  /** Rejects everything that waits for this peer. */
  abandon(error: CoapError): void {
    this.gone = error;
    this.queue.abandon(error);
    for (const request of this.pending) request.finish(error);
    this.abandonNotification?.(error);
    for (const transmission of [...this.transmissions]) transmission.stop();
    this.observations = undefined;
  }
}
