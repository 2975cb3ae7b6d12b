import { UdpSocket } from '@lanyard/coap';
import { type Address, type DtlsConnection, DtlsError, DtlsServer } from '@lanyard/dtls';
import { createLogger, Metrics, newId, StopDeadline } from '@lanyard/service';
import type { Redis } from 'ioredis';
import { ConnectionStore } from '../src/connections/connection-store.js';
import { PeerPort } from '../src/connections/peer-port.js';
import { OwnedConnections } from '../src/connections/owned-connections.js';
import { connectionKeys } from '../src/connections/keys.js';
import { ReplicaEvents } from '../src/connections/replica-events.js';
import { ReplicaSlots } from '../src/connections/replica-slots.js';
import { SharedConnections } from '../src/connections/shared-connections.js';
import { RecordForwarder } from '../src/connections/record-forwarder.js';
import type { DeviceProxyConfig } from '../src/config.js';
import { StallDetector } from '../src/sessions/stall-detector.js';
import { ReplicaTime } from './replica-time.js';

export const pskKey = Buffer.alloc(16, 7);
const encryptionKey = Buffer.alloc(32, 1);

export interface ReplicaOptions {
  redis: Redis;
  redisPrefix: string;
  /** Without: no peer port. */
  peerHost?: string | undefined;
  encryptionKey?: Buffer;
  connectionsMax?: number;
}

/** The connections of one replica: a server that answers each message with itself and its own name. */
export class DtlsReplica {
  readonly metrics = new Metrics('test', 'test');
  readonly time = new ReplicaTime();
  readonly slots: ReplicaSlots;
  readonly store: ConnectionStore;
  readonly owned: OwnedConnections;
  readonly peerPort: PeerPort;
  readonly shared: SharedConnections;
  readonly stallDetector: StallDetector;
  readonly server: DtlsServer;
  readonly received: string[] = [];
  readonly arrived: string[] = [];
  readonly lost: string[] = [];
  peerPortNumber = 0;
  port = 0;
  /** Devices whose credential is withdrawn. */
  refuses = false;
  private readonly socket: UdpSocket;

  constructor(
    readonly name: string,
    private readonly options: ReplicaOptions,
  ) {
    const { redis, redisPrefix, peerHost } = options;
    const clock = this.time;
    const logger = createLogger({ app: 'test', replicaId: name, level: 'silent' });
    const config = {
      redisPrefix,
      replicaId: name,
      secrets: { encryptionKey: options.encryptionKey ?? encryptionKey } as DeviceProxyConfig['secrets'],
      ...(peerHost !== undefined && { peerPort: { host: peerHost, port: 0 } }),
    };
    const events = new ReplicaEvents(this.metrics);
    this.slots = new ReplicaSlots(redis, config, clock, logger);
    this.stallDetector = new StallDetector(clock);
    this.store = new ConnectionStore(redis, config, this.slots, clock);
    this.owned = new OwnedConnections(this.store, this.stallDetector, events, this.slots, clock, logger);
    this.peerPort = new PeerPort(config, this.slots, events, clock, logger);
    const forwarder = new RecordForwarder(this.store, this.owned, this.peerPort, this.slots, events, clock, logger);
    const deadline = new StopDeadline(logger);
    this.shared = new SharedConnections(this.slots, this.peerPort, this.owned, forwarder, events, deadline);
    this.socket = new UdpSocket({
      host: '127.0.0.1',
      port: 0,
      receiveBufferBytes: undefined,
      onDatagram: (datagram, address, port) => this.receive(datagram, { address, port }),
      onError: () => undefined,
    });
    this.server = this.newServer();
  }

  async start(): Promise<this> {
    const { server, socket } = this;
    this.stallDetector.onApplicationBootstrap();
    await this.shared.start({
      receive: (datagram, from) => this.receive(datagram, from),
      send: (datagram, to) => socket.send(datagram, to.address, to.port),
      connection: (id) => server.connection(id),
      save: (id) => {
        const state = server.connection(id)?.state();
        return state && { state, credential: { id: newId() } };
      },
      hasRoomFor: (from) => server.hasRoomFor(from),
      restore: ({ state }, takeOvers, from) =>
        !this.refuses && server.restore(state, { takeOvers, from }) !== undefined,
      lose: async (id) => {
        this.lost.push(id);
        server.connection(id)?.endWith('taken-over');
      },
      registeredUntilMs: () => 0,
      arrived: (id) => void this.arrived.push(id),
    });
    this.port = (await socket.bind()).port;
    this.peerPortNumber = Number((await this.lease())?.split(' ')[2]?.split(':').at(-1));
    return this;
  }

  /** As on SIGTERM. */
  async drain(): Promise<void> {
    await this.socket.close();
    await this.shared.stop();
    this.time.end();
  }

  /** As SIGKILL leaves it: nothing is saved. With `leaseEnds` its lease is over too. */
  async die({ leaseEnds = true } = {}): Promise<void> {
    this.time.end();
    await Promise.all([this.socket.close(), this.peerPort.close()]);
    if (leaseEnds) await this.endLease();
  }

  async endLease(): Promise<void> {
    const { redis, redisPrefix } = this.options;
    await redis.hdel(connectionKeys(redisPrefix).slots, this.slots.owner.split(':')[0] as string);
  }

  async count(event: string): Promise<number> {
    const text = await this.metrics.registry.metrics();
    const match = new RegExp(`dtls_replica_events_total\\{event="${event}"[^}]*\\} (\\d+)`).exec(text);
    return Number(match?.[1] ?? 0);
  }

  private async lease(): Promise<string | null> {
    const { redis, redisPrefix } = this.options;
    return redis.hget(connectionKeys(redisPrefix).slots, this.slots.owner.split(':')[0] as string);
  }

  receive(datagram: Buffer, from: Address): void {
    if (this.shared.admits(datagram, from)) this.server.receive(datagram, from);
  }

  private newServer(): DtlsServer {
    const { shared, slots, socket } = this;
    return new DtlsServer({
      keyOf: () => pskKey,
      newConnectionId: () => slots.newConnectionId(),
      connectionIdBytes: slots.connectionIdBytes,
      savesStates: true,
      limits: { connectionsMax: this.options.connectionsMax ?? 100 },
      send: (datagram, to) => {
        if (!shared.sendThroughAnother(datagram, to)) socket.send(datagram, to.address, to.port);
      },
      onConnected: (connection) => shared.opened(connection),
      onMessage: (connection, message) => this.answer(connection, message.toString()),
      onClosed: (connection, reason) => {
        if (reason !== 'taken-over') shared.closed(connection);
      },
      onUnknownConnection: (id, datagram, from) => shared.receiveUnknown(id, datagram, from),
    });
  }

  private answer(connection: DtlsConnection, text: string): void {
    this.received.push(text);
    const send = (): void => {
      try {
        if (shared.maySend(connection.id)) connection.send(Buffer.from(`${text} ${this.name}`));
      } catch (error) {
        if (!(error instanceof DtlsError)) throw error;
      }
    };
    const { shared } = this;
    const saving = shared.whenSaved(connection.id);
    if (saving) void saving.then(send);
    else send();
  }
}
