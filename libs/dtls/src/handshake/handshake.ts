import { types } from 'node:util';
import { AlertDescription } from '../alerts.js';
import { deriveKeys } from '../crypto/key-block.js';
import { type PackedBytes } from '../crypto/packed-bytes.js';
import { createProtection } from '../crypto/protection.js';
import { DecodeError, HandshakeFailed, type HandshakeFailure } from '../errors.js';
import { type DtlsLimits } from '../limits.js';
import { decodeAlert, encodeAlert } from '../messages/alert.js';
import { CHANGE_CIPHER_SPEC, decodeChangeCipherSpec } from '../messages/change-cipher-spec.js';
import { decodeHandshakeFragments, type HandshakeFragment, HandshakeType } from '../messages/handshake.js';
import { ContentType, type WireRecord } from '../messages/record.js';
import { Epoch } from '../record/epoch.js';
import { type DtlsClock } from '../timing/clock.js';
import { type DtlsTimer, type DtlsTimers } from '../timing/timers.js';
import { datagramBytesFor, type FlightItem, packFlight } from './flight.js';
import { LastFlight } from './last-flight.js';
import { type Negotiated } from './negotiated.js';
import { type HandshakeMessage, type Reassembler } from './reassembler.js';
import { flightMs, Retransmission, type RetransmissionTimes } from './retransmission.js';
import { Transcript } from './transcript.js';

const isPromise = (value: unknown): value is Promise<unknown> => types.isPromise(value);

/** What a handshake needs from the endpoint it belongs to. */
export interface HandshakeHost {
  readonly clock: DtlsClock;
  readonly timers: DtlsTimers;
  readonly limits: DtlsLimits;
  send(datagram: Buffer): void;
  onRetransmission(): void;
  onEstablished(established: Established): void;
  onFailed(error: HandshakeFailed): void;
}

/** The initial state of a handshake: where its messages and records begin. */
interface HandshakeBegin {
  side: 'client' | 'server';
  reassembler: Reassembler;
  epoch0: Epoch;
  /** Sequence number of the first message that is sent. */
  messageSequence: number;
}

/** The result of a completed handshake. */
export interface Established {
  epoch: Epoch;
  /** Result of `packCredential`. */
  peer: PackedBytes;
  /** Id of the session that can be resumed; empty: none, or this is a client. */
  sessionId: PackedBytes;
  /** Application data that arrived before the handshake ended, in the order of arrival. */
  early: Buffer[];
  /** Undefined on the side that did not send the last flight. */
  lastFlight?: LastFlight;
}

/**
 * How many protected records are kept that arrive before there are keys, and how many records of application data that
 * arrive before the handshake ends.
 */
const EARLY_RECORDS_MAX = 8;
/** Bytes of all records kept until there are keys. They may be forged; a Finished takes less than 100 bytes. */
const UNREADABLE_BYTES_MAX = 4_096;
/**
 * This many records of the new epoch that do not authenticate mean a wrong key. A single one may be a late record of the peer's
 * previous connection.
 */
const WRONG_KEY_RECORDS = 3;

/** Number of flights that wait for an answer: the hello and the Finished of a client, the hello of a server. */
const FLIGHTS = { client: 2, server: 1 };

/** The part of a handshake that both sides share: records, reassembly, flights, waiting for callbacks, and failing. */
export abstract class Handshake {
  protected transcript = new Transcript();
  protected masterSecret: Buffer | undefined;
  protected identity: Buffer | undefined;
  protected reassembler: Reassembler;
  private readonly side: HandshakeBegin['side'];
  private readonly epoch0: Epoch;
  private nextSequence: number;
  private readonly retransmission: Retransmission;
  private deadline: DtlsTimer;
  /** Application data that arrived before the handshake ended. */
  private readonly early: Buffer[] = [];
  /** Protected records that arrived before there were keys. */
  private waitingRecords: WireRecord[] = [];
  private epoch1: Epoch | undefined;
  private lastFlight: LastFlight | undefined;
  private datagramBytesMax: number;
  private writesProtected = false;
  private unauthentic = 0;
  private receivedAlert: number | undefined;
  /** A callback is pending: messages wait. */
  private busy = false;
  private handling = false;
  private ended = false;

  protected constructor(
    protected readonly host: HandshakeHost,
    { side, reassembler, epoch0, messageSequence }: HandshakeBegin,
  ) {
    this.side = side;
    this.reassembler = reassembler;
    this.epoch0 = epoch0;
    this.nextSequence = messageSequence;
    const { datagramBytesMax, retransmissionMs } = host.limits;
    this.datagramBytesMax = datagramBytesMax;
    const times = this.timesFrom(retransmissionMs);
    this.retransmission = new Retransmission(host.clock, host.timers, times, () => host.onRetransmission());
    this.deadline = this.startDeadline(times);
  }

  /** Whether only the peer's Finished is missing. */
  protected abstract get expectsFinished(): boolean;

  /** Handles the next message in order. If it throws a `DecodeError`, the handshake ends with the alert of that error. */
  protected abstract handle(message: HandshakeMessage): void;

  /** Processes a record of this handshake's peer. Malformed content is discarded (RFC 6347 §4.1.2.7); never throws. */
  receive(record: WireRecord): void {
    if (this.ended) return;
    try {
      if (record.epoch === 0) this.receivePlain(record);
      else if (record.epoch === 1) this.receiveProtected(record);
    } catch (error) {
      if (!(error instanceof DecodeError)) throw error;
    }
  }

  /** Ends the handshake without an alert. */
  abandon(): void {
    this.fail(this.hasWrongKey ? 'wrong-key' : 'abandoned');
  }

  /** Applies to flights from now on. The handshake may then last as long as its flights do, unless its duration is fixed. */
  protected useRetransmissionMs(initialMs: number): void {
    const times = this.timesFrom(initialMs);
    this.retransmission.useTimes(times);
    if (this.host.limits.handshakeMs !== undefined) return;
    this.deadline.cancel();
    this.deadline = this.startDeadline(times);
  }

  private timesFrom(initialMs: number): RetransmissionTimes {
    return { initialMs, maxMs: Math.max(initialMs, this.host.limits.retransmissionMaxMs) };
  }

  private startDeadline(times: RetransmissionTimes): DtlsTimer {
    const { limits, timers } = this.host;
    return timers.schedule(limits.handshakeMs ?? FLIGHTS[this.side] * flightMs(times), () => this.timedOut());
  }

  private timedOut(): void {
    if (this.hasWrongKey) this.wrongKey();
    else this.fail('timeout');
  }

  /** Adds a message to the transcript. @returns The item of a flight. */
  protected message(type: number, body: Buffer, epoch: 0 | 1 = 0): FlightItem {
    const content = this.transcript.add(type, this.nextSequence++, body);
    return { epoch, type: ContentType.Handshake, content };
  }

  protected changeCipherSpec(): FlightItem {
    return { epoch: 0, type: ContentType.ChangeCipherSpec, content: CHANGE_CIPHER_SPEC };
  }

  protected sendFlight(flight: FlightItem[]): void {
    this.writesProtected ||= flight.some(({ epoch }) => epoch === 1);
    this.retransmission.start(() => this.transmit(flight));
  }

  /** Sent without a timer, because only the peer's repetition shows that the end of the handshake was lost. */
  protected sendLastFlight(finished: FlightItem): void {
    this.retransmission.stop();
    this.transmit([this.changeCipherSpec(), finished]);
    const repetitions = this.retransmission.repetitionsFromNow();
    this.lastFlight = new LastFlight(finished.content, this.epoch0.sendSequence, repetitions);
  }

  /** The peer's flight is complete, so the peer has ours. */
  protected flightAnswered(): void {
    this.retransmission.stop();
  }

  /** The peer accepts no larger plaintexts, not even before the keys are used. */
  protected limitFlights(plaintextBytes: number): void {
    this.datagramBytesMax = Math.min(this.datagramBytesMax, datagramBytesFor(plaintextBytes));
  }

  private transmit(flight: FlightItem[]): void {
    const { datagramBytesMax } = this;
    for (const datagram of packFlight(flight, [this.epoch0, this.epoch1], datagramBytesMax)) this.host.send(datagram);
  }

  private receivePlain({ type, fragment }: WireRecord): void {
    if (type === ContentType.Handshake) this.receiveFragments(fragment, 0);
    else if (type === ContentType.ChangeCipherSpec) decodeChangeCipherSpec(fragment);
    else if (type === ContentType.Alert) this.receivePlainAlert(fragment);
  }

  private receivePlainAlert(content: Buffer): void {
    const { level, description } = decodeAlert(content);
    if (level !== 'fatal') return;
    this.receivedAlert = description;
    this.onPlainAlert();
  }

  /** Called for a fatal alert without protection, which anyone can send. A server ignores it. */
  protected onPlainAlert(): void {}

  /** Called for a fatal alert with the protection of the new keys. */
  protected onAuthenticAlert(): void {}

  protected alertReceived(): void {
    this.fail('alert-received');
  }

  private receiveProtected(record: WireRecord): void {
    if (this.epoch1 === undefined) {
      this.keepUntilKeys(record);
      return;
    }
    const opened = this.epoch1.open(record);
    if (opened === 'unauthentic') this.countUnauthentic();
    if (typeof opened === 'string') return;
    if (opened.type === ContentType.Handshake) this.receiveFragments(opened.plaintext, 1);
    else if (opened.type === ContentType.ApplicationData) this.receiveEarly(opened.plaintext);
    else if (opened.type === ContentType.Alert) this.receiveAlert(opened.plaintext);
  }

  /** Keeps the record until there are keys. Copies it, because the datagram belongs to the caller. */
  private keepUntilKeys(record: WireRecord): void {
    const { connectionId, fragment } = record;
    const bytes = this.waitingRecords.reduce((sum, held) => sum + held.fragment.length, fragment.length);
    if (this.waitingRecords.length >= EARLY_RECORDS_MAX || bytes > UNREADABLE_BYTES_MAX) return;
    this.waitingRecords.push({ ...record, connectionId: Buffer.from(connectionId), fragment: Buffer.from(fragment) });
  }

  private receiveEarly(plaintext: Buffer): void {
    if (this.early.length < EARLY_RECORDS_MAX) this.early.push(Buffer.from(plaintext));
  }

  private receiveAlert(content: Buffer): void {
    const { level, description } = decodeAlert(content);
    if (level !== 'fatal' && description !== AlertDescription.CloseNotify) return;
    this.receivedAlert = description;
    if (level === 'fatal') this.onAuthenticAlert();
    this.alertReceived();
  }

  /**
   * An attacker can send records from the peer's address, which must not end the handshake of a peer with the right key (RFC 6347
   * §4.1.2.7). With a connection id, which only the peer and the network between know, the records come from the peer.
   */
  private countUnauthentic(): void {
    this.unauthentic += 1;
    if (this.hasWrongKey && this.epoch1!.receiveConnectionId.length > 0) this.wrongKey();
  }

  private get hasWrongKey(): boolean {
    return this.unauthentic >= WRONG_KEY_RECORDS;
  }

  private wrongKey(): void {
    this.fail('wrong-key', { alert: AlertDescription.DecryptError });
  }

  /** Of all messages, only a Finished is protected, and it always is (RFC 5246 §7.4.9): any other combination is forged. */
  private receiveFragments(content: Buffer, epoch: 0 | 1): void {
    for (const fragment of decodeHandshakeFragments(content)) {
      if ((fragment.type === HandshakeType.Finished) !== (epoch === 1)) continue;
      if (this.isRepetition(fragment)) this.retransmission.peerRepeated();
      else this.reassembler.add(fragment);
    }
    this.handleComplete();
  }

  /** Whether the fragment is the end of the last message that the peer sent before it waited. */
  private isRepetition({ messageSequence, offset, length, fragment }: HandshakeFragment): boolean {
    return messageSequence === this.reassembler.next - 1 && offset + fragment.length === length;
  }

  private handleComplete(): void {
    // Records that waited for keys are opened in the middle of a step, which must end first.
    if (this.handling) return;
    while (!this.busy && !this.ended) {
      // Any other unprotected message that arrives now is not from the peer.
      if (this.expectsFinished) this.reassembler.keepOnly(HandshakeType.Finished);
      const message = this.reassembler.takeMessage();
      if (message === undefined) return;
      this.step(() => this.handle(message));
    }
  }

  /** Continues with the value that a callback returns now or later; messages wait meanwhile. */
  protected whenKnown<T>(ask: () => T | Promise<T>, then: (value: T) => void): void {
    let value: T | Promise<T>;
    try {
      value = ask();
    } catch (error) {
      this.callbackFailed(error);
      return;
    }
    if (!isPromise(value)) {
      then(value);
      return;
    }
    this.busy = true;
    value.then(
      (known) => this.continue(() => then(known)),
      (error: unknown) => this.continue(() => this.callbackFailed(error)),
    );
  }

  private continue(step: () => void): void {
    if (this.ended) return;
    this.busy = false;
    this.step(step);
    this.handleComplete();
  }

  private step(run: () => void): void {
    this.handling = true;
    this.guard(run);
    this.handling = false;
  }

  private callbackFailed(cause: unknown): void {
    this.fail('callback-failed', { alert: AlertDescription.InternalError, cause });
  }

  /** From here on, records of epoch 1 can be sealed and opened; the records that waited are opened. */
  protected useKeys(negotiated: Negotiated, masterSecret: Buffer, clientRandom: Buffer, serverRandom: Buffer): void {
    const { suite, ownConnectionId, peerConnectionId, sendBytesMax, receiveBytesMax } = negotiated;
    this.masterSecret = masterSecret;
    const keys = deriveKeys(suite, masterSecret, clientRandom, serverRandom);
    this.epoch1 = new Epoch({
      number: 1,
      protection: createProtection(suite, keys, this.side),
      sendConnectionId: peerConnectionId,
      receiveConnectionId: ownConnectionId,
      sendBytesMax,
      receiveBytesMax,
    });
    const waiting = this.waitingRecords;
    this.waitingRecords = [];
    for (const record of waiting) if (!this.ended) this.receiveProtected(record);
  }

  protected establish(peer: PackedBytes, sessionId: PackedBytes = ''): void {
    this.ended = true;
    this.deadline.cancel();
    this.retransmission.stop();
    const { epoch1, early, lastFlight } = this;
    this.host.onEstablished({ epoch: epoch1!, peer, sessionId, early, lastFlight });
  }

  protected fail(reason: HandshakeFailure, detail: { text?: string; alert?: number; cause?: unknown } = {}): void {
    if (this.ended) return;
    this.ended = true;
    this.deadline.cancel();
    this.retransmission.stop();
    if (detail.alert !== undefined) this.sendAlert(detail.alert);
    const { receivedAlert, identity } = this;
    this.host.onFailed(new HandshakeFailed(reason, { ...detail, receivedAlert, identity }));
  }

  private sendAlert(description: number): void {
    const content = encodeAlert({ level: 'fatal', description });
    const epoch = this.writesProtected ? this.epoch1! : this.epoch0;
    this.host.send(epoch.seal(ContentType.Alert, content));
  }

  /** Runs code that handles bytes of the peer: unacceptable bytes end the handshake with the alert of the error. */
  protected guard(run: () => void): void {
    try {
      run();
    } catch (error) {
      if (!(error instanceof DecodeError)) throw error;
      this.fail('refused', { text: error.reason, alert: error.alert });
    }
  }
}
