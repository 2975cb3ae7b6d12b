import { type Address } from '../connection/address.js';
import { type CloseReason, type DtlsConnection } from '../connection/connection.js';
import { type HandshakeFailed } from '../errors.js';
import { type Authenticate, type OwnCertificate, type PeerCredential } from '../handshake/credentials.js';
import { type KeyOf } from '../handshake/server-handshake.js';
import { type DtlsLimits } from '../limits.js';
import { type DtlsClock } from '../timing/clock.js';
import { type DtlsTimers } from '../timing/timers.js';

/** One handshake: all callbacks about it get the same object, so that an application can keep notes about it. */
export interface HandshakeOfClient {
  readonly remote: Address;
}

/** Callbacks are called in the order of the datagrams, and must not throw. */
export interface DtlsServerOptions {
  send(datagram: Buffer, to: Address): void;
  /** Default: the monotonic clock of the process. */
  clock?: DtlsClock;
  /** Default: one timer of the process for all handshakes, which ticks only while there is one. */
  timers?: DtlsTimers;
  /** Ids of cipher suites in order of preference; default: all those whose credentials are given, PSK first. */
  suites?: readonly number[];
  limits?: Partial<DtlsLimits>;
  /**
   * Pre-shared key of an identity. If it returns undefined, the handshake continues with a random key and fails as with a wrong
   * key (RFC 4279 §2). If this option is missing, there are no PSK suites.
   */
  keyOf?(identity: Buffer, handshake: HandshakeOfClient): ReturnType<KeyOf>;
  /** Without it there are no ECDHE suites. */
  certificate?: OwnCertificate;
  /**
   * Decides about a client that has proved its private key: this library checks neither issuers nor validity. If this option is
   * missing, clients of ECDHE suites are not asked for a certificate, and are anonymous.
   */
  authenticate?(credential: PeerCredential, handshake: HandshakeOfClient): ReturnType<Authenticate>;
  /** The id of a new connection, unguessable and of constant length; default: no ids, RFC 9146 is not offered. */
  newConnectionId?(): Buffer;
  /** Length of the ids; default: that of the first id. Without `newConnectionId`, restored connections keep theirs, new ones get none. */
  connectionIdBytes?: number;
  /**
   * The application saves states, and confirms each save to its connection (`confirmSaved`): without a save, a connection with an
   * id sends at most `TAKE_OVER_SEQUENCES` records.
   */
  savesStates?: boolean;
  /**
   * First retransmission timeout of a client, for example longer for a slow radio; undefined: `limits.retransmissionMs`. Called
   * once the client is known: before the first flight of a resumption, and in a full handshake before the last flight. `keyOf` or
   * `authenticate` was called for the same handshake before.
   */
  retransmissionMs?(handshake: HandshakeOfClient): number | undefined;
  onConnected(connection: DtlsConnection, handshake: HandshakeOfClient): void;
  onMessage(connection: DtlsConnection, plaintext: Buffer): void;
  /** A record of a connection with an id arrived from another address. */
  onMoved?(connection: DtlsConnection, from: Address, to: Address): void;
  onClosed?(connection: DtlsConnection, reason: CloseReason): void;
  onHandshakeFailed?(error: HandshakeFailed, client: Address, handshake: HandshakeOfClient): void;
  /**
   * A record with an id that is not known here: forward the datagram, or restore the connection and pass it to `receive` again.
   * Both buffers are valid only during the call.
   */
  onUnknownConnection?(connectionId: Buffer, datagram: Buffer, from: Address): void;
}

/** The events that `counters` counts since the start. */
export const DTLS_EVENTS = [
  'hello-verify-sent',
  /** A ClientHello that cannot be read, or that comes in fragments before its cookie. */
  'hello-malformed',
  'handshake-started',
  /** A limit was reached: no answer. */
  'handshake-refused',
  'handshake-completed',
  'handshake-failed',
  'retransmission',
  'record-malformed',
  'record-replayed',
  /** Wrong key, damaged or forged. */
  'record-unauthentic',
  /** Neither a connection nor a handshake is known at the address. */
  'record-unknown',
  'connection-id-unknown',
  'connection-restored',
  'connection-moved',
  'connection-closed',
  'renegotiation-refused',
] as const;

export type DtlsEvent = (typeof DTLS_EVENTS)[number];

export interface DtlsGauges {
  connections: number;
  /** Handshakes in progress, after the cookie. */
  handshakes: number;
  /** Sessions that can be resumed. */
  sessions: number;
  /** Last flights, kept in case they were lost. */
  lastFlights: number;
}
