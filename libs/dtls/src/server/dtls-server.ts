import { type Address, addressKey } from '../connection/address.js';
import { type ConnectionState } from '../connection/connection-state.js';
import { type ConnectionHost, DtlsConnection } from '../connection/connection.js';
import { publicRandom } from '../crypto/public-random.js';
import { TooManyConnections } from '../errors.js';
import { type OwnCertificate } from '../handshake/credentials.js';
import { type Established, type HandshakeHost } from '../handshake/handshake.js';
import { ServerHandshake, type ServerParameters, type VerifiedHello } from '../handshake/server-handshake.js';
import { DEFAULT_LIMITS, type DtlsLimits } from '../limits.js';
import { ContentType, decodeRecord, NO_CONNECTION_ID, type WireRecord } from '../messages/record.js';
import { type Refusal } from '../record/epoch.js';
import { type DtlsClock, systemDtlsClock } from '../timing/clock.js';
import { type DtlsTimers, TickingTimers } from '../timing/timers.js';
import { ConnectionTable } from './connection-table.js';
import { CookieExchange } from './cookie-exchange.js';
import { HandshakeTable, type PendingHandshake } from './handshake-table.js';
import { LastFlights } from './last-flights.js';
import { DTLS_EVENTS, type DtlsEvent, type DtlsGauges, type DtlsServerOptions } from './options.js';
import { serverParameters } from './server-parameters.js';

/** Length of the id of a connection without a connection id on the wire; the prefix distinguishes it from connection ids. */
const LOCAL_ID_BYTES = 8;
const LOCAL_ID_PREFIX = 'local-';
/** Attempts to find a connection id that is not in use. */
const ID_ATTEMPTS = 8;

/** A DTLS 1.2 server: datagrams in, datagrams out (RFC 6347). It opens no socket. */
export class DtlsServer {
  private readonly clock: DtlsClock;
  private readonly timers: DtlsTimers;
  private readonly limits: DtlsLimits;
  private readonly parameters: ServerParameters;
  private readonly connectionIdBytes: number;
  private readonly cookieExchange: CookieExchange;
  private readonly connections = new ConnectionTable();
  private readonly handshakes: HandshakeTable;
  private readonly lastFlights: LastFlights;
  private readonly counts = Object.fromEntries(DTLS_EVENTS.map((event) => [event, 0])) as Record<DtlsEvent, number>;
  private readonly connectionHost: ConnectionHost;
  private closed = false;

  constructor(private readonly options: DtlsServerOptions) {
    this.clock = options.clock ?? systemDtlsClock;
    this.timers = options.timers ?? new TickingTimers(this.clock);
    this.limits = { ...DEFAULT_LIMITS, ...options.limits };
    this.parameters = serverParameters(options, this.limits, this.clock);
    this.connectionIdBytes = options.connectionIdBytes ?? options.newConnectionId?.().length ?? 0;
    this.cookieExchange = new CookieExchange(() => this.clock.nowMs());
    this.handshakes = new HandshakeTable(this.clock, this.limits);
    this.lastFlights = new LastFlights(this.clock, this.timers, this.limits);
    this.connectionHost = this.hostOfConnections();
  }

  /**
   * Applies to handshakes that begin from now on.
   * @throws RangeError when the server began without a certificate, or without a chain: its suites are already chosen
   */
  replaceCertificate(certificate: OwnCertificate): void {
    const { parameters } = this;
    if (parameters.certificate === undefined || certificate.chain.length > 0 !== parameters.hasChain)
      throw new RangeError('A server replaces a certificate by one of the same kind');
    parameters.certificate = certificate;
  }

  /** Processes a datagram. Never throws, for any input; the caller may reuse the buffer afterwards. */
  receive(datagram: Buffer, from: Address): void {
    let record = decodeRecord(datagram, 0, this.connectionIdBytes);
    if (record === undefined) this.count('record-malformed');
    let id = NO_CONNECTION_ID;
    while (record !== undefined && !this.closed) {
      if (record.type === ContentType.ConnectionId) {
        // One datagram belongs to one connection. Processes that forward it to one another would otherwise not agree on which.
        if (id.length > 0 && !id.equals(record.connectionId)) return this.count('record-malformed');
        id = record.connectionId;
      }
      if (!this.receiveRecord(record, datagram, from)) return;
      record = decodeRecord(datagram, record.end, this.connectionIdBytes);
    }
  }

  connection(id: string): DtlsConnection | undefined {
    return this.connections.withId(id);
  }

  /** The open connections. They may be closed during the iteration. */
  all(): IterableIterator<DtlsConnection> {
    return this.connections.all();
  }

  /**
   * Continues a connection of another process. One that is already open here stays as it is.
   * @param takeOver.takeOvers How often the connection has been taken over since the state was exported, including this time.
   *   The store of states counts this in one atomic step, before the state is read: two processes with the same count would
   *   use the same nonces.
   * @param takeOver.remote Where the peer is, if the caller is sure; a peer with a connection id shows this with its next record.
   * @param takeOver.from The address from which a record of the peer has arrived, if one has: the limits per source
   *   apply to this address, and otherwise to that of the connection.
   * @throws InvalidState, TooManyConnections
   */
  restore(state: ConnectionState, takeOver: { takeOvers: number; remote?: Address; from?: Address }): DtlsConnection {
    const open = this.connections.withId(state.id);
    if (open !== undefined) return open;
    const connection = DtlsConnection.fromState(this.connectionHost, state, { remote: state.remote, ...takeOver });
    if (!this.hasRoomFor(takeOver.from ?? connection.remote)) throw new TooManyConnections();
    this.count('connection-restored');
    this.add(connection);
    return connection;
  }

  /** Whether one more connection may come from this address. */
  hasRoomFor(from: Address): boolean {
    return this.hasRoom(from, 0);
  }

  counters(): Readonly<Record<DtlsEvent, number>> {
    return { ...this.counts };
  }

  gauges(): DtlsGauges {
    return {
      connections: this.connections.size,
      handshakes: this.handshakes.size,
      sessions: this.parameters.sessions.size,
      lastFlights: this.lastFlights.size,
    };
  }

  /**
   * Accepts no more datagrams, and abandons handshakes. Connections stay valid for another process.
   * @param notify Which connections to close instead, each with a close_notify.
   */
  async close({
    notify = false,
  }: { notify?: boolean | ((connection: DtlsConnection) => boolean) } = {}): Promise<void> {
    this.closed = true;
    for (const { handshake } of this.handshakes.all()) handshake.abandon();
    const isNotified = typeof notify === 'function' ? notify : () => notify;
    for (const connection of this.connections.all()) if (isNotified(connection)) connection.close();
  }

  /** Hides the keys in logs. */
  toJSON(): object {
    return this.gauges();
  }

  [Symbol.for('nodejs.util.inspect.custom')](): object {
    return this.toJSON();
  }

  /** @returns Whether the rest of the datagram is also for this server. */
  private receiveRecord(record: WireRecord, datagram: Buffer, from: Address): boolean {
    if (record.type === ContentType.ConnectionId) return this.receiveWithId(record, datagram, from);
    const address = addressKey(from);
    if (record.epoch === 0) this.receivePlain(record, from, address);
    else this.receiveProtected(record, from, address);
    return true;
  }

  private receiveWithId(record: WireRecord, datagram: Buffer, from: Address): boolean {
    const id = idOf(record.connectionId);
    const connection = this.connections.withId(id);
    const pending = connection === undefined ? this.handshakes.withId(id) : undefined;
    if (connection !== undefined) this.countRefusal(connection.receive(record, from));
    else if (pending !== undefined) pending.handshake.receive(record);
    else {
      this.count('connection-id-unknown');
      this.options.onUnknownConnection?.(record.connectionId, datagram, from);
      return false;
    }
    return true;
  }

  /** A record without an id is for the connection at the address, or for the handshake that will replace that connection. */
  private receiveProtected(record: WireRecord, from: Address, address: string): void {
    const connection = this.connections.at(address);
    const refusal = connection?.receive(record, from);
    if (connection !== undefined && refusal === undefined) return;
    const pending = this.handshakes.at(address);
    if (pending !== undefined) pending.handshake.receive(record);
    else if (connection !== undefined) this.countRefusal(refusal);
    else this.count('record-unknown');
  }

  private receivePlain(record: WireRecord, from: Address, address: string): void {
    const pending = this.handshakes.at(address);
    const outcome = this.cookieExchange.examine(record, from);
    if (outcome === undefined) pending?.handshake.receive(record);
    else if (outcome.kind === 'malformed') this.count('hello-malformed');
    else if (outcome.kind === 'unverified') {
      // The process that forwarded the datagram has answered it: two answers would be more than the client has sent.
      if (from.via !== undefined) return;
      this.count('hello-verify-sent');
      this.options.send(outcome.reply, from);
    } else if (pending?.handshake.isStartedBy(outcome.hello.hello.random)) pending.handshake.receive(record);
    else this.startHandshake(outcome.hello, from, pending);
  }

  /**
   * Handshakes in progress count as well, because each may become a connection.
   * @param ending How many of these handshakes end if a new one begins.
   */
  private hasRoom(from: Address, ending: 0 | 1): boolean {
    const { connections, handshakes, limits } = this;
    const total = connections.size + handshakes.size - ending;
    const ofSource = connections.countFrom(from) + handshakes.countFrom(from) - ending;
    return total < limits.connectionsMax && ofSource < limits.connectionsPerSourceMax;
  }

  /**
   * A connection without an id at the same address stays until the new handshake has succeeded (RFC 6347 §4.2.8).
   * The new connection then takes its place, so the limits of connections are not checked for it.
   */
  private startHandshake(hello: VerifiedHello, from: Address, former: PendingHandshake | undefined): void {
    const isReplacement = this.connections.at(addressKey(from)) !== undefined;
    const hasRoom = isReplacement || this.hasRoom(from, former === undefined ? 0 : 1);
    if (!hasRoom || !this.handshakes.admit(from)) {
      this.count('handshake-refused');
      return;
    }
    former?.handshake.abandon();
    this.count('handshake-started');
    const remote = { address: from.address, port: from.port };
    const handshake = new ServerHandshake(
      this.hostOfHandshake(() => pending),
      { ...this.parameters, ...this.callbacksOf(() => pending) },
      hello,
    );
    const pending: PendingHandshake = { handshake, remote };
    this.handshakes.add(pending);
    handshake.start();
  }

  private callbacksOf(
    pending: () => PendingHandshake,
  ): Pick<ServerParameters, 'keyOf' | 'authenticate' | 'newConnectionId' | 'retransmissionMs'> {
    const { keyOf, authenticate, newConnectionId, retransmissionMs } = this.options;
    return {
      keyOf: keyOf && ((identity) => this.options.keyOf!(identity, pending())),
      authenticate: authenticate && ((credential) => this.options.authenticate!(credential, pending())),
      newConnectionId: newConnectionId && (() => this.reserveId(pending())),
      retransmissionMs: retransmissionMs && (() => this.options.retransmissionMs!(pending())),
    };
  }

  private hostOfHandshake(pending: () => PendingHandshake): HandshakeHost {
    return {
      clock: this.clock,
      timers: this.timers,
      limits: this.limits,
      send: (datagram) => this.options.send(datagram, pending().remote),
      onRetransmission: () => this.count('retransmission'),
      onEstablished: (established) => this.connect(pending(), established),
      onFailed: (error) => {
        this.handshakes.remove(pending());
        this.count('handshake-failed');
        this.options.onHandshakeFailed?.(error, pending().remote, pending());
      },
    };
  }

  /** A connection id that no connection and no handshake has. @throws RangeError when the application returns no such id */
  private reserveId(pending: PendingHandshake): Buffer {
    for (let attempt = 0; attempt < ID_ATTEMPTS; attempt += 1) {
      const connectionId = this.options.newConnectionId!();
      const id = idOf(connectionId);
      const isFree = this.connections.withId(id) === undefined && this.handshakes.withId(id) === undefined;
      if (!isFree || connectionId.length !== this.connectionIdBytes) continue;
      this.handshakes.setId(pending, id);
      return connectionId;
    }
    throw new RangeError('newConnectionId gives ids of another length, or ids in use');
  }

  private connect(pending: PendingHandshake, established: Established): void {
    this.handshakes.remove(pending);
    this.count('handshake-completed');
    this.connections.at(addressKey(pending.remote))?.endWith('replaced');
    const id = pending.id ?? LOCAL_ID_PREFIX + publicRandom(LOCAL_ID_BYTES).toString('hex');
    const given = { id, remote: pending.remote };
    const connection = DtlsConnection.fromHandshake(this.connectionHost, established, given);
    // A connection without an id ends with its process, so its state is never saved.
    if (this.options.savesStates === true && connection.connectionId !== undefined)
      connection.confirmSaved({ sendSequence: 0 });
    this.add(connection);
    this.parameters.sessions.connectionBegan(id, established.sessionId);
    if (established.lastFlight) this.lastFlights.add(connection, established.lastFlight);
    this.options.onConnected(connection, pending);
    for (const plaintext of established.early) {
      if (connection.isOpen) this.connectionHost.onMessage(connection, plaintext);
    }
  }

  /** Adds a connection. A restored one may find another connection at its address, which it replaces. */
  private add(connection: DtlsConnection): void {
    if (connection.connectionId === undefined) this.connections.at(addressKey(connection.remote))?.endWith('replaced');
    this.connections.add(connection);
  }

  private hostOfConnections(): ConnectionHost {
    const { options, connections, lastFlights } = this;
    return {
      send: (connection, datagram) => options.send(datagram, connection.remote),
      onMessage: (connection, plaintext) => {
        lastFlights.drop(connection);
        options.onMessage(connection, plaintext);
      },
      onMoved: (connection, from, to) => {
        this.count('connection-moved');
        connections.moved(from, to);
        options.onMoved?.(connection, from, to);
      },
      onClosed: (connection, reason) => {
        connections.remove(connection);
        lastFlights.drop(connection);
        this.parameters.sessions.connectionEnded(connection.id, reason === 'alert');
        this.count('connection-closed');
        options.onClosed?.(connection, reason);
      },
      onFinishedRepeated: (connection) => {
        if (lastFlights.repeat(connection)) this.count('retransmission');
      },
      onRenegotiationRefused: () => this.count('renegotiation-refused'),
    };
  }

  private countRefusal(refusal: Refusal | undefined): void {
    if (refusal !== undefined) this.count(`record-${refusal}`);
  }

  private count(event: DtlsEvent): void {
    this.counts[event] += 1;
  }
}

/** The key under which a connection with a connection id is found. */
const idOf = (connectionId: Buffer): string => connectionId.toString('hex');
