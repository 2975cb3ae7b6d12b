import { randomBytes } from 'node:crypto';
import {
  type Address,
  type CloseReason,
  DtlsClient,
  type DtlsClientOptions,
  type DtlsConnection,
  DtlsServer,
  type DtlsServerOptions,
  type HandshakeFailed,
} from '../src/index.js';
import { ManualClock } from './manual-clock.js';
import { type Conditions, Network } from './network.js';

export const PSK_CCM_8 = 0xc0a8;
export const PSK_CBC = 0x00ae;
export const ECDHE_CCM_8 = 0xc0ae;
export const ECDHE_GCM = 0xc02b;

export const IDENTITY = Buffer.from('device-1');
export const KEY = Buffer.from('00112233445566778899aabbccddeeff', 'hex');
export const PSK = { identity: IDENTITY, key: KEY };
export const keyOf = (identity: Buffer) => (identity.equals(IDENTITY) ? KEY : undefined);

/** A server on the network of the test, and what it told its application. */
export class TestServer {
  readonly connected: DtlsConnection[] = [];
  readonly messages: string[] = [];
  readonly moves: [from: Address, to: Address][] = [];
  readonly closed: CloseReason[] = [];
  readonly failures: HandshakeFailed[] = [];
  readonly unknown: { connectionId: Buffer; datagram: Buffer; from: Address }[] = [];
  readonly sent: Buffer[] = [];
  readonly dtls: DtlsServer;

  constructor(
    readonly network: Network,
    private readonly clients: Map<string, TestClient>,
    options: Partial<DtlsServerOptions> = {},
  ) {
    this.dtls = new DtlsServer({
      clock: network.clock,
      keyOf,
      ...options,
      send: (datagram, to) => this.send(datagram, to),
      onConnected: (connection, handshake) => {
        this.connected.push(connection);
        options.onConnected?.(connection, handshake);
      },
      onMessage: (connection, plaintext) => {
        this.messages.push(plaintext.toString());
        options.onMessage?.(connection, plaintext);
      },
      onMoved: (_, from, to) => this.moves.push([from, to]),
      onClosed: (_, reason) => this.closed.push(reason),
      onHandshakeFailed: (error) => this.failures.push(error),
      onUnknownConnection: (connectionId, datagram, from) =>
        this.unknown.push({ connectionId: Buffer.from(connectionId), datagram: Buffer.from(datagram), from }),
    });
  }

  /** The connection that opened last. */
  get connection(): DtlsConnection {
    return this.connected.at(-1)!;
  }

  private send(datagram: Buffer, to: Address): void {
    this.sent.push(Buffer.from(datagram));
    this.network.carry(this.network.alterDown(datagram), (bytes) =>
      this.clients.get(`${to.address}:${to.port}`)?.receive(bytes),
    );
  }
}

/** A client on the network of the test; its address can change, as behind a NAT. */
export class TestClient {
  readonly messages: string[] = [];
  readonly closed: CloseReason[] = [];
  readonly sent: Buffer[] = [];
  readonly received: Buffer[] = [];
  readonly dtls: DtlsClient;
  /** How `connect` ended. */
  outcome: 'connected' | HandshakeFailed | undefined;

  constructor(
    private readonly net: TestNetwork,
    public address: Address,
    options: Partial<DtlsClientOptions> = {},
  ) {
    this.dtls = new DtlsClient({
      clock: net.clock,
      ...options,
      send: (datagram) => this.send(datagram),
      onMessage: (plaintext) => this.messages.push(plaintext.toString()),
      onClosed: (reason) => this.closed.push(reason),
    });
  }

  connect(): void {
    this.outcome = undefined;
    this.dtls.connect().then(
      () => (this.outcome = 'connected'),
      (error: HandshakeFailed) => (this.outcome = error),
    );
  }

  say(text: string): void {
    this.dtls.send(Buffer.from(text));
  }

  receive(datagram: Buffer): void {
    this.received.push(datagram);
    this.dtls.receive(datagram);
  }

  /** From now on datagrams come from, and go to, another address. */
  moveTo(address: Address): void {
    this.net.move(this, address);
  }

  private send(datagram: Buffer): void {
    this.sent.push(Buffer.from(datagram));
    const from = this.address;
    this.net.carry(this.net.alterUp(datagram), (bytes) => this.net.server.dtls.receive(bytes, from));
  }
}

/** One server, clients, and a network between them. */
export class TestNetwork extends Network {
  private readonly clients = new Map<string, TestClient>();
  private port = 1_000;
  server: TestServer;

  constructor(options: Partial<DtlsServerOptions> = {}, conditions?: Conditions) {
    super(new ManualClock(), conditions);
    this.server = this.newServer(options);
  }

  /** Another server, for example in place of the first. */
  newServer(options: Partial<DtlsServerOptions> = {}): TestServer {
    return new TestServer(this, this.clients, options);
  }

  client(options: Partial<DtlsClientOptions> = {}): TestClient {
    const address = { address: '192.0.2.1', port: (this.port += 1) };
    const client = new TestClient(this, address, { psk: PSK, ...options });
    this.clients.set(`${address.address}:${address.port}`, client);
    return client;
  }

  move(client: TestClient, to: Address): void {
    this.clients.delete(`${client.address.address}:${client.address.port}`);
    client.address = to;
    this.clients.set(`${to.address}:${to.port}`, client);
  }

  /** A client that has completed its handshake. @throws Error when it fails */
  async connected(options: Partial<DtlsClientOptions> = {}): Promise<TestClient> {
    const client = this.client(options);
    client.connect();
    await this.runUntil(() => client.outcome !== undefined);
    if (client.outcome !== 'connected') throw client.outcome ?? new Error('The handshake did not end');
    return client;
  }
}

export const eightByteIds = () => randomBytes(8);
