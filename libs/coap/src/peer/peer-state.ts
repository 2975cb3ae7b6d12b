import { randomInt } from 'node:crypto';
import { type CoapError } from '../errors.js';
import { AnswerRing } from './answer-ring.js';
import { ClientState } from './client-state.js';
import { type ObservationEntry } from './observation-entry.js';
import { type IncomingResponse } from './pending-request.js';
import { EXCHANGE_LIFETIME_MS } from '../timing/transmission-parameters.js';
import { type Transmission } from './transmission.js';
import { type Peer } from '../messages/peer.js';
import { type InFlight } from './running.js';

const none: readonly Transmission[] = [];

/** Non-confirmable notifications that a Reset can still refer to. */
const RESETTABLE_MAX = 8;

const MESSAGE_IDS = 65_536;
/** Ids in a row whose time of use is remembered together. */
const GROUP_IDS = 1_024;

/** The group of the id of a message, by the number of messages before it. */
const groupOf = (messagesBefore: number): number => Math.floor(messagesBefore / GROUP_IDS) % (MESSAGE_IDS / GROUP_IDS);

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
  private readonly firstMessageId = randomInt(MESSAGE_IDS);
  private messagesSent = 0;
  /** When the last id of each group was used. Created with the first complete group: most peers get few messages. */
  private groupsUsedAtMs: number[] | undefined;
  private resettable: { messageId: number; token: Buffer }[] | undefined;

  constructor(
    readonly peer: Peer,
    public lastUsedMs: number,
  ) {
    super();
  }

  nextMessageId(nowMs: number): number {
    this.lastUsedMs = nowMs;
    const sent = this.messagesSent++;
    if (sent % GROUP_IDS === GROUP_IDS - 1) (this.groupsUsedAtMs ??= [])[groupOf(sent)] = nowMs;
    return (this.firstMessageId + sent) & 0xffff;
  }

  /** How long the next request waits: a message id is used once within the exchange lifetime (RFC 7252 §4.4). */
  messageIdWaitMs(nowMs: number): number {
    if (this.messagesSent < MESSAGE_IDS) return 0;
    const usedAtMs = this.groupsUsedAtMs?.[groupOf(this.messagesSent)] ?? -Infinity;
    return Math.max(0, usedAtMs + EXCHANGE_LIFETIME_MS - nowMs);
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
