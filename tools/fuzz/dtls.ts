/** Damaged datagrams in both directions between a DTLS server and its clients, in memory, with a manual clock. */
import { createPrivateKey, X509Certificate } from 'node:crypto';
import {
  type Address,
  CIPHER_SUITES,
  DtlsClient,
  type DtlsClientOptions,
  type DtlsConnection,
  DtlsError,
  DtlsServer,
} from '@lanyard/dtls';
import { certificateAuthority, type Certified } from '@lanyard/testing';
import { ManualClock } from './manual-clock.ts';
import { mutateDtls } from './mutate-dtls.ts';
import type { Random } from '../testing/random.ts';

interface Peer {
  address: Address;
  client: DtlsClient;
  /** How many more datagrams this peer takes part in. */
  left: number;
}

/** A datagram in flight. */
interface Datagram {
  peer: Peer;
  bytes: Buffer;
  toServer: boolean;
}

const peersMax = 64;
/** Datagrams after which a peer is replaced, at the latest. */
const peerDatagramsMax = 120;
/** Datagrams between two turns of the event loop, which lookups of keys need. */
const batch = 100;
const stepMs = 20;
const connectionIdBytes = 8;
/** Longer than any handshake takes, and than any flight is kept. */
const quietMs = 600_000;
/** Datagrams that are kept for replays, also to other connections. */
const seenMax = 512;
/** Connections that the server keeps; with more, the oldest one is closed. */
const connectionsKept = 200;
/** How long a well-behaved client waits for its echo. */
const aliveMs = 10_000;

const identity = Buffer.from('fuzz');
const key = Buffer.alloc(16, 7);
const suites = CIPHER_SUITES.map(({ id }) => id);

const own = ({ certificate, privateKey }: Certified) => ({
  chain: [new X509Certificate(certificate).raw],
  privateKey: createPrivateKey(privateKey),
});

export class DtlsFuzz {
  random: Random;
  clock = new ManualClock();
  handled = 0;
  unexpected: unknown[] = [];
  authority = certificateAuthority('fuzz');
  deviceCertificate = own(this.authority.issue('device'));
  server: DtlsServer;
  peers: Peer[] = [];
  onTheWay: Datagram[] = [];
  seen: Buffer[] = [];
  connections: DtlsConnection[] = [];
  ids = 0;
  ports = 1_024;
  /** The well-behaved client of `isAlive`, which is none of the peers. */
  aliveClient: { address: Address; receive: (bytes: Buffer) => void } | undefined;

  constructor(random: Random) {
    this.random = random;
    this.server = new DtlsServer({
      clock: this.clock,
      limits: { handshakesPerSourcePerSecond: 1e9, handshakesPerSourceMax: 1e9, sessionsMax: 200 },
      send: (bytes, to) => this.fromServer(bytes, to),
      keyOf: (asked) => {
        const found = asked.equals(identity) ? key : undefined;
        return random.below(2) === 0 ? found : Promise.resolve(found);
      },
      certificate: own(this.authority.issue('server')),
      authenticate: () => (random.below(2) === 0 ? true : Promise.resolve(random.below(20) > 0)),
      newConnectionId: () => {
        const id = random.bytes(connectionIdBytes);
        id.writeUInt32BE(++this.ids, 0);
        return id;
      },
      onConnected: (connection) => {
        this.connections.push(connection);
        if (this.connections.length > connectionsKept) this.connections.shift()?.close();
        if (random.below(4) === 0) connection.send(Buffer.from('hello'));
      },
      onMessage: (connection, plaintext) => {
        if (random.below(20) === 0) connection.close();
        else if (plaintext.length > 0) connection.send(plaintext);
      },
      onUnknownConnection: () => undefined,
    });
  }

  async start() {
    this.peers = Array.from({ length: peersMax }, () => this.newPeer());
  }

  get findings() {
    return { events: new Map(Object.entries(this.server.counters())), unexpected: this.unexpected };
  }

  /** @param messages that server and clients must have received in total */
  async run(messages: number) {
    while (this.handled < messages) {
      for (let n = 0; n < batch; n++) this.step();
      this.clock.advance(stepMs);
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  newPeer(): Peer {
    const { random } = this;
    const address = { address: `192.0.2.${1 + random.below(8)}`, port: this.ports };
    this.ports = this.ports === 65_535 ? 1_024 : this.ports + 1;
    const options: DtlsClientOptions = {
      clock: this.clock,
      send: (bytes) => this.onTheWay.push({ peer, bytes, toServer: true }),
      onMessage: (plaintext) => {
        if (plaintext.length < 200) peer.client.send(Buffer.concat([plaintext, plaintext]));
      },
      suites: random.shuffled(suites).slice(0, 1 + random.below(suites.length)),
      psk: { identity: random.below(10) === 0 ? random.bytes(random.below(40)) : identity, key },
      certificate: this.deviceCertificate,
      rawPublicKeys: random.below(3) === 0,
      ...(random.below(2) === 0 ? { connectionId: random.bytes(random.below(9)) } : {}),
      ...(random.below(4) === 0 ? { recordSizeLimit: 64 + random.below(2_000) } : {}),
      extendedMasterSecret: random.below(4) > 0,
    };
    const peer: Peer = { address, client: new DtlsClient(options), left: 1 + random.below(peerDatagramsMax) };
    this.attempt(() => this.connect(peer));
    return peer;
  }

  connect({ client }: Peer) {
    client.connect().then(
      () => this.attempt(() => client.send(Buffer.from('first'))),
      (error: unknown) => this.report(error),
    );
  }

  fromServer(bytes: Buffer, to: Address) {
    if (to.address === this.aliveClient?.address.address) {
      const { receive } = this.aliveClient;
      setImmediate(() => receive(bytes));
      return;
    }
    const peer = this.peers.find(({ address }) => address.port === to.port && address.address === to.address);
    if (peer) this.onTheWay.push({ peer, bytes, toServer: false });
  }

  /** One datagram arrives: in order or not, complete or not, once or several times, or an old one again. */
  step() {
    const { random, onTheWay, seen } = this;
    if (onTheWay.length === 0) {
      this.clock.advance(stepMs);
      this.renewPeer();
      return;
    }
    const at = random.below(4) === 0 ? random.below(onTheWay.length) : 0;
    const [datagram] = onTheWay.splice(at, 1) as [Datagram];
    if (onTheWay.length > 10 * peersMax) onTheWay.length = 0;
    const kind = random.below(20);
    if (kind === 0) return;
    if (kind === 1) onTheWay.push(datagram);
    if (kind === 2) onTheWay.push({ ...datagram, bytes: random.bytes(random.below(100)) });
    if (kind === 3 && seen.length > 0) onTheWay.push({ ...datagram, bytes: random.pick(seen) });
    seen[seen.length < seenMax ? seen.length : random.below(seenMax)] = datagram.bytes;
    const bytes = kind < 7 ? mutateDtls(datagram.bytes, random) : datagram.bytes;
    this.deliver({ ...datagram, bytes });
  }

  deliver({ peer, bytes, toServer }: Datagram) {
    this.handled++;
    peer.left--;
    // Sometimes the datagram comes from another address.
    const from = this.random.below(50) === 0 ? this.random.pick(this.peers).address : peer.address;
    this.attempt(() => (toServer ? this.server.receive(bytes, from) : peer.client.receive(bytes)));
    if (peer.left <= 0) this.renewPeer(peer);
  }

  renewPeer(peer = this.random.pick(this.peers)) {
    this.attempt(() => peer.client.close());
    this.peers[this.peers.indexOf(peer)] = this.newPeer();
  }

  attempt(action: () => void) {
    try {
      action();
    } catch (error) {
      this.report(error);
    }
  }

  /** Errors of the protocol are expected, because the datagrams are damaged; any other error is a finding. */
  report(error: unknown) {
    if (!(error instanceof DtlsError)) this.unexpected.push(error);
  }

  /** Whether a well-behaved client is still served, and no failed handshake is left. */
  async isAlive() {
    for (const { client } of this.peers) client.close();
    this.peers = [];
    this.onTheWay = [];
    this.clock.advance(quietMs);
    const { handshakes, lastFlights, connections } = this.server.gauges();
    const address = { address: '198.51.100.1', port: 5_684 };
    const echoed = new Promise<boolean>((resolve) => {
      const client = new DtlsClient({
        psk: { identity, key },
        send: (bytes) => void setImmediate(() => this.server.receive(bytes, address)),
        onMessage: () => resolve(true),
      });
      this.aliveClient = { address, receive: (bytes) => client.receive(bytes) };
      setTimeout(() => resolve(false), aliveMs).unref();
      client.connect().then(
        () => client.send(Buffer.from('still there?')),
        () => resolve(false),
      );
    });
    return handshakes === 0 && lastFlights === 0 && connections <= connectionsKept && (await echoed);
  }

  async stop() {
    await this.server.close();
  }
}
