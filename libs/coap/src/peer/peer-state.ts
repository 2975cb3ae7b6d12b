import { randomInt } from 'node:crypto';
import { type CoapError } from '../errors.js';
import { AnswerRing } from './answer-ring.js';
import { ClientState } from './client-state.js';
import { type ObservationEntry } from './observation-entry.js';
import { type IncomingResponse } from './pending-request.js';
import { type Transmission } from './transmission.js';
import { type Peer } from '../messages/peer.js';
import { type InFlight } from './running.js';

const none: readonly Transmission[] = [];

/** Non-confirmable notifications that a Reset can still refer to. */
const RESETTABLE_MAX = 8;

/** The state of one peer that sends datagrams. Created by our own actions, never by a received datagram. */
export class PeerState extends ClientState<ObservationEntry, IncomingResponse> {
  kept = false;
  /** Rejects the confirmable notification in flight. */
  abandonNotification: ((error: CoapError) => void) | undefined;
  /** Confirmable messages in flight: the one of the interaction and any separate responses. */
  transmissions: readonly Transmission[] = none;
  readonly answers = new AnswerRing();
  /** Messages of this peer whose handler runs. */
  running: InFlight[] | undefined;
  private lastMessageId = randomInt(65_536);
  private resettable: { messageId: number; token: Buffer }[] | undefined;

  constructor(
    readonly peer: Peer,
    public lastUsedMs: number,
  ) {
    super();
  }

  nextMessageId(nowMs: number): number {
    this.lastUsedMs = nowMs;
    return (this.lastMessageId = (this.lastMessageId + 1) & 0xffff);
  }

  /** Whether the state can be dropped without losing anything but the answers to late duplicates. */
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

  rememberResettable(messageId: number, token: Buffer): void {
    this.resettable ??= [];
    if (this.resettable.push({ messageId, token }) > RESETTABLE_MAX) this.resettable.shift();
  }

  takeResettable(messageId: number): Buffer | undefined {
    const index = this.resettable?.findIndex((one) => one.messageId === messageId) ?? -1;
    return index < 0 ? undefined : this.resettable!.splice(index, 1)[0]!.token;
  }

  /** The peer can no longer be reached. Its observations may continue with its next connection. */
  override abandonRequests(error: CoapError, ofSent = error): void {
    super.abandonRequests(error, ofSent);
    this.abandonNotification?.(error);
    for (const transmission of [...this.transmissions]) transmission.stop();
  }

  /** Called when the state is dropped. */
  abandon(error: CoapError): void {
    this.gone = error;
    this.abandonRequests(error);
    this.observations = undefined;
  }
}
