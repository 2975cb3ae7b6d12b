import { type Address } from '../connection/address.js';
import { type ConnectionState } from '../connection/connection-state.js';
import { type CloseReason, type ConnectionHost, DtlsConnection } from '../connection/connection.js';
import { CIPHER_SUITES, type CipherSuite, cipherSuite } from '../crypto/suites.js';
import { ConnectionClosed, type HandshakeFailed } from '../errors.js';
import { ClientHandshake } from '../handshake/client-handshake.js';
import { type ClientParameters } from '../handshake/client-offer.js';
import { type Authenticate, type OwnCertificate, type PeerCredential } from '../handshake/credentials.js';
import { type Established, type HandshakeHost } from '../handshake/handshake.js';
import { type LastFlight } from '../handshake/last-flight.js';
import { type Session } from '../handshake/session-cache.js';
import { DEFAULT_LIMITS, type DtlsLimits } from '../limits.js';
import { decodeRecord, type WireRecord } from '../messages/record.js';
import { type DtlsClock, systemDtlsClock } from '../timing/clock.js';
import { type DtlsTimers, TickingTimers } from '../timing/timers.js';

/** A session to resume, from `DtlsClient.session`; it holds a secret. */
export type ResumableSession = Session;

export interface DtlsClientOptions {
  send(datagram: Buffer): void;
  clock?: DtlsClock;
  /** May be shared by many clients. */
  timers?: DtlsTimers;
  limits?: Partial<Pick<DtlsLimits, 'handshakeMs' | 'retransmissionMs' | 'retransmissionMaxMs' | 'datagramBytesMax'>>;
  /** Ids of cipher suites in order of preference; default: PSK with `psk`, otherwise ECDHE. */
  suites?: readonly number[];
  psk?: { identity: Buffer; key: Buffer };
  /** For a server that requests a certificate. */
  certificate?: OwnCertificate;
  /** Raw public keys both ways instead of certificates (RFC 7250); default false. */
  rawPublicKeys?: boolean;
  /** Decides whether the server's certificate or public key is accepted; without this, any is accepted. */
  authenticate?: Authenticate;
  /**
   * The id on records that arrive here (RFC 9146); empty: none, but the server may use one. Undefined: no extension is sent.
   */
  connectionId?: Buffer;
  /** Largest plaintext that is accepted (RFC 8449); default: the extension is not sent. */
  recordSizeLimit?: number;
  /** Default true. */
  extendedMasterSecret?: boolean;
  session?: ResumableSession;
  onMessage(plaintext: Buffer): void;
  onClosed?(reason: CloseReason): void;
}

/** Datagrams of a client come from one socket, so the address of the server does not matter here. */
const SERVER: Address = { address: '', port: 0 };
const ID = 'client';

/** A DTLS 1.2 client: datagrams in, datagrams out. It opens no socket. */
export class DtlsClient {
  private readonly clock: DtlsClock;
  private readonly timers: DtlsTimers;
  private readonly parameters: ClientParameters;
  private handshake: ClientHandshake | undefined;
  private connection: DtlsConnection | undefined;
  private lastFlight: LastFlight | undefined;
  private resumable: Session | undefined;

  constructor(private readonly options: DtlsClientOptions) {
    this.clock = options.clock ?? systemDtlsClock;
    this.timers = options.timers ?? new TickingTimers(this.clock);
    this.parameters = clientParameters(options);
  }

  /** Rejects with `HandshakeFailed`. */
  connect(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.handshake?.abandon();
      this.handshake = new ClientHandshake(this.hostOfHandshake(resolve, reject), this.parameters);
      this.handshake.start();
    });
  }

  /**
   * Continues a connection from its exported state.
   * @param takeOvers How often it was restored since the export, including this time: the caller counts. @throws InvalidState
   */
  restore(state: ConnectionState, takeOvers: number): void {
    this.connection = DtlsConnection.fromState(this.hostOfConnection(), state, { takeOvers, remote: SERVER });
  }

  /** To be called when the state has been saved; a restored connection sends at most `TAKE_OVER_SEQUENCES` records without a save. */
  confirmSaved(state: ConnectionState): void {
    this.connection?.confirmSaved(state);
  }

  /** @throws ConnectionClosed, RecordTooLarge, SequenceExhausted, StateNotSaved */
  send(plaintext: Buffer): void {
    if (this.connection === undefined) throw new ConnectionClosed();
    this.connection.send(plaintext);
  }

  /** Processes a datagram from the server. Never throws, for any input. */
  receive(datagram: Buffer): void {
    const idBytes = this.parameters.connectionId?.length ?? 0;
    let record = decodeRecord(datagram, 0, idBytes);
    while (record !== undefined) {
      this.receiveRecord(record);
      record = decodeRecord(datagram, record.end, idBytes);
    }
  }

  /** Sends a close_notify, or abandons the handshake. */
  close(): void {
    this.handshake?.abandon();
    this.connection?.close();
  }

  get isOpen(): boolean {
    return this.connection?.isOpen ?? false;
  }

  /** The session to pass to a later client; undefined when the server does not allow resumption. */
  get session(): ResumableSession | undefined {
    return this.resumable;
  }

  /** How the server proved who it is. */
  get peer(): PeerCredential | undefined {
    return this.connection?.peer;
  }

  /** IANA's name of the cipher suite. */
  get cipherSuite(): string | undefined {
    return this.connection?.cipherSuite;
  }

  /** @throws ConnectionClosed */
  state(): ConnectionState {
    if (this.connection === undefined) throw new ConnectionClosed();
    return this.connection.state();
  }

  /** Hides the keys in logs. */
  toJSON(): object {
    const { isOpen, cipherSuite: suite } = this;
    return { isOpen, cipherSuite: suite };
  }

  [Symbol.for('nodejs.util.inspect.custom')](): object {
    return this.toJSON();
  }

  private receiveRecord(record: WireRecord): void {
    const refusal = record.epoch > 0 ? this.connection?.receive(record, SERVER) : 'malformed';
    if (this.connection === undefined || refusal !== undefined) this.handshake?.receive(record);
  }

  private hostOfHandshake(resolve: () => void, reject: (error: HandshakeFailed) => void): HandshakeHost {
    return {
      clock: this.clock,
      timers: this.timers,
      limits: { ...DEFAULT_LIMITS, ...this.options.limits },
      send: (datagram) => this.options.send(datagram),
      onRetransmission: () => {},
      onEstablished: (established) => {
        this.open(established);
        resolve();
      },
      onFailed: (error) => {
        this.handshake = undefined;
        reject(error);
      },
    };
  }

  private open(established: Established): void {
    this.resumable = this.handshake?.session;
    this.handshake = undefined;
    this.connection?.endWith('replaced');
    this.lastFlight = established.lastFlight;
    this.connection = DtlsConnection.fromHandshake(this.hostOfConnection(), established, {
      id: ID,
      remote: SERVER,
    });
    for (const plaintext of established.early) this.options.onMessage(plaintext);
  }

  private hostOfConnection(): ConnectionHost {
    return {
      send: (_, datagram) => this.options.send(datagram),
      onMessage: (_, plaintext) => this.options.onMessage(plaintext),
      onMoved: () => {},
      onClosed: (_, reason) => {
        // RFC 5246 §7.2.2.
        if (reason === 'alert') this.resumable = undefined;
        this.options.onClosed?.(reason);
      },
      onFinishedRepeated: (connection) => {
        if (this.lastFlight?.shouldRepeat(this.clock.nowMs())) connection.repeat(this.lastFlight);
      },
      onRenegotiationRefused: () => {},
    };
  }
}

/** @throws RangeError for a suite that does not exist here or lacks its credential */
function clientParameters(options: DtlsClientOptions): ClientParameters {
  const { psk, rawPublicKeys = false, extendedMasterSecret = true } = options;
  const isPossible = ({ keyExchange }: CipherSuite) => keyExchange !== 'psk' || psk !== undefined;
  const selected = options.suites?.map((id) => {
    const suite = cipherSuite(id);
    if (suite === undefined || !isPossible(suite)) throw new RangeError(`Cipher suite ${id} cannot be used`);
    return suite;
  });
  const exchange = psk === undefined ? 'ecdhe_ecdsa' : 'psk';
  const suites = selected ?? CIPHER_SUITES.filter(({ keyExchange }) => keyExchange === exchange);
  return { ...options, suites, rawPublicKeys, extendedMasterSecret };
}
