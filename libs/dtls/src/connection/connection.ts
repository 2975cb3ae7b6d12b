import { AlertDescription } from '../alerts.js';
import { cipherSuite } from '../crypto/suites.js';
import { type PackedBytes, packBytes, unpackBytes } from '../crypto/packed-bytes.js';
import { createProtection } from '../crypto/protection.js';
import { type RecordProtection } from '../crypto/record-protection.js';
import { ConnectionClosed, DecodeError, InvalidState, SequenceExhausted, StateNotSaved } from '../errors.js';
import { type PeerCredential, packCredential, unpackCredential } from '../handshake/credentials.js';
import { type Established } from '../handshake/handshake.js';
import { type LastFlight } from '../handshake/last-flight.js';
import { TAKE_OVER_SEQUENCES } from '../limits.js';
import { type Alert, decodeAlert, encodeAlert } from '../messages/alert.js';
import { decodeHandshakeFragments, HandshakeType } from '../messages/handshake.js';
import { ContentType, type WireRecord } from '../messages/record.js';
import { Epoch, type Refusal } from '../record/epoch.js';
import { type Address, isSameAddress } from './address.js';
import { type ConnectionState } from './connection-state.js';
import { sequenceAfterTakeOvers } from './take-over.js';

export type CloseReason =
  /** `close` was called on this side. */
  | 'closed'
  /** The peer sent a close_notify. */
  | 'close-notify'
  /** The peer sent another fatal alert. */
  | 'alert'
  /** The peer at this address completed a new handshake. */
  | 'replaced'
  /** Another process continues the connection. */
  | 'taken-over'
  /** All sequence numbers are used (RFC 6347 §4.1). */
  | 'sequence-exhausted';

/** What a connection needs from its endpoint. */
export interface ConnectionHost {
  send(connection: DtlsConnection, datagram: Buffer): void;
  onMessage(connection: DtlsConnection, plaintext: Buffer): void;
  onMoved(connection: DtlsConnection, from: Address, to: Address): void;
  onClosed(connection: DtlsConnection, reason: CloseReason): void;
  /** The peer repeats the end of its handshake, so our last flight was lost. */
  onFinishedRepeated(connection: DtlsConnection): void;
  onRenegotiationRefused(): void;
}

interface Parts {
  id: string;
  epoch: Epoch;
  peer: PackedBytes;
  remote: Address;
}

/** An open DTLS connection. It has no timers, and as few objects as possible: a server holds many. */
export class DtlsConnection {
  readonly id: string;
  /** Belongs to the application, which then needs no table by id for what it keeps with the connection. */
  data: unknown = undefined;
  private readonly epoch: Epoch;
  private readonly packedPeer: PackedBytes;
  private address: string;
  private port: number;
  private via: string | undefined;
  private open = true;

  /** Connections come from `DtlsServer`, `DtlsClient`, and their `restore`. */
  constructor(
    private readonly host: ConnectionHost,
    { id, epoch, peer, remote }: Parts,
  ) {
    this.id = id;
    this.epoch = epoch;
    this.packedPeer = peer;
    this.address = remote.address;
    this.port = remote.port;
    this.via = remote.via;
  }

  static fromHandshake(
    host: ConnectionHost,
    established: Established,
    given: { id: string; remote: Address },
  ): DtlsConnection {
    const { epoch, peer } = established;
    return new DtlsConnection(host, { ...given, epoch, peer });
  }

  /**
   * Continues a connection of another process. The sequence numbers skip all those that other processes may have used since the
   * export; received numbers up to the highest one in the state count as replayed.
   * @param takeOvers How often it was taken over since the export, including this time. @throws InvalidState
   */
  static fromState(
    host: ConnectionHost,
    state: ConnectionState,
    { takeOvers, remote }: { takeOvers: number; remote: Address },
  ): DtlsConnection {
    const suite = cipherSuite(state.suite);
    if (suite === undefined) throw new InvalidState('unknown cipher suite');
    const keys = packBytes(state.keys);
    const sendSequence = sequenceAfterTakeOvers(state.sendSequence, takeOvers);
    const epoch = new Epoch({
      number: 1,
      protection: createProtection(suite, keys, state.role),
      sendConnectionId: state.peerConnectionId,
      receiveConnectionId: state.connectionId,
      sendSequence,
      sendSequenceEnd: sendSequence + TAKE_OVER_SEQUENCES,
      receivedMax: state.receivedMax,
      sendBytesMax: state.sendBytesMax,
      receiveBytesMax: state.receiveBytesMax,
    });
    return new DtlsConnection(host, { id: state.id, epoch, peer: packCredential(state.peer), remote });
  }

  /** Each access decodes the credential: callers read it once and keep it. */
  get peer(): PeerCredential {
    return unpackCredential(this.packedPeer);
  }

  get remote(): Address {
    const { address, port, via } = this;
    return via === undefined ? { address, port } : { address, port, via };
  }

  /** Connection id on the records that arrive here; undefined without one. */
  get connectionId(): Buffer | undefined {
    const id = this.epoch.receiveConnectionId;
    return id.length > 0 ? id : undefined;
  }

  get isOpen(): boolean {
    return this.open;
  }

  /** IANA's name of the cipher suite. */
  get cipherSuite(): string {
    return this.protection.suite.name;
  }

  /** Largest `plaintext` that `send` accepts. */
  get plaintextBytesMax(): number {
    return this.epoch.contentBytesMax;
  }

  /** Sequence number of the next record to send. */
  get sendSequence(): number {
    return this.epoch.sendSequence;
  }

  /** The highest sequence number that was received; -1 before the first. */
  get receivedMax(): number {
    return this.epoch.receivedMax;
  }

  /** To be called when a state of this connection has been saved. Another process would continue above the numbers that this allows. */
  confirmSaved({ sendSequence }: Pick<ConnectionState, 'sendSequence'>): void {
    this.epoch.sendSequenceEnd = sendSequence + TAKE_OVER_SEQUENCES;
  }

  /**
   * Sends the plaintext as one record in one datagram.
   * @throws ConnectionClosed, RecordTooLarge, StateNotSaved, SequenceExhausted (and the connection closes)
   */
  send(plaintext: Buffer): void {
    if (!this.open) throw new ConnectionClosed();
    this.sendSealed(() => this.epoch.seal(ContentType.ApplicationData, plaintext));
  }

  /** Sends the last flight again: the peer did not get the end of its handshake. */
  repeat(lastFlight: LastFlight): void {
    this.sendIfPermitted(() => lastFlight.seal(this.epoch));
  }

  /** Sends a close_notify. */
  close(): void {
    if (!this.open) return;
    this.sendAlert({ level: 'warning', description: AlertDescription.CloseNotify });
    this.endWith('closed');
  }

  /** Closes without telling the peer. */
  endWith(reason: CloseReason): void {
    if (!this.open) return;
    this.open = false;
    this.host.onClosed(this, reason);
  }

  state(): ConnectionState {
    const { id, epoch, peer, address, port } = this;
    const { role, suite, keyBlock } = this.protection;
    return {
      id,
      role,
      suite: suite.id,
      keys: unpackBytes(keyBlock),
      connectionId: epoch.receiveConnectionId,
      peerConnectionId: epoch.sendConnectionId,
      sendSequence: epoch.sendSequence,
      receivedMax: epoch.receivedMax,
      sendBytesMax: epoch.sendBytesMax,
      receiveBytesMax: epoch.receiveBytesMax,
      remote: { address, port },
      peer,
    };
  }

  /** Processes a record that may belong to this connection. @returns Why it was discarded. */
  receive(record: WireRecord, from: Address): Refusal | undefined {
    if (!this.open) return 'malformed';
    const opened = this.epoch.open(record);
    if (typeof opened === 'string') return opened;
    // RFC 9146 §6: only the newest authentic record shows where the peer is.
    if (opened.isNewest && record.connectionId.length > 0) this.moveTo(from);
    if (opened.type === ContentType.ApplicationData) this.host.onMessage(this, opened.plaintext);
    else this.receiveProtocol(opened.type, opened.plaintext);
    return undefined;
  }

  /** Hides the keys in logs. */
  toJSON(): object {
    const { id, remote, cipherSuite: suite } = this;
    return { id, remote, cipherSuite: suite, isOpen: this.open };
  }

  [Symbol.for('nodejs.util.inspect.custom')](): object {
    return this.toJSON();
  }

  /** Never undefined, because the epoch of a connection is never the unprotected one. */
  private get protection(): RecordProtection {
    return this.epoch.protection!;
  }

  private moveTo(to: Address): void {
    const from = this.remote;
    if (isSameAddress(to, from)) return;
    this.address = to.address;
    this.port = to.port;
    this.via = to.via;
    this.host.onMoved(this, from, to);
  }

  private receiveProtocol(type: number, content: Buffer): void {
    try {
      if (type === ContentType.Alert) this.receiveAlert(decodeAlert(content));
      else if (type === ContentType.Handshake) this.receiveHandshake(content);
    } catch (error) {
      // The peer is authentic, but its record is malformed: the record is discarded.
      if (!(error instanceof DecodeError)) throw error;
    }
  }

  private receiveAlert({ level, description }: Alert): void {
    if (description === AlertDescription.CloseNotify) {
      this.sendAlert({ level: 'warning', description: AlertDescription.CloseNotify });
      this.endWith('close-notify');
    } else if (level === 'fatal') this.endWith('alert');
  }

  private receiveHandshake(content: Buffer): void {
    const types = decodeHandshakeFragments(content).map(({ type }) => type);
    if (types.includes(HandshakeType.Finished)) this.host.onFinishedRepeated(this);
    const renegotiation = this.protection.role === 'server' ? HandshakeType.ClientHello : HandshakeType.HelloRequest;
    if (!types.includes(renegotiation)) return;
    this.host.onRenegotiationRefused();
    this.sendAlert({ level: 'warning', description: AlertDescription.NoRenegotiation });
  }

  private sendAlert(alert: Alert): void {
    this.sendIfPermitted(() => this.epoch.seal(ContentType.Alert, encodeAlert(alert)));
  }

  /** Sends nothing if the sequence numbers are used up, or if the state must be saved first. */
  private sendIfPermitted(seal: () => Buffer): void {
    try {
      this.sendSealed(seal);
    } catch (error) {
      if (!(error instanceof SequenceExhausted || error instanceof StateNotSaved)) throw error;
    }
  }

  private sendSealed(seal: () => Buffer): void {
    let datagram: Buffer;
    try {
      datagram = seal();
    } catch (error) {
      if (error instanceof SequenceExhausted) this.endWith('sequence-exhausted');
      throw error;
    }
    this.host.send(this, datagram);
  }
}
