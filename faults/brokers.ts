/** Three Kafka brokers for one row; each has every partition. Each listener is behind a TCP proxy that can fail. */
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { kafka, type ServerSpec } from '../tools/lanyard/infrastructure-processes.ts';
import { tcpPort } from '../tools/lanyard/ports.ts';
import { waitUntil } from '../tools/lanyard/probes.ts';
import { TcpLine } from '@lanyard/testing';
import { Infrastructure, Server } from './infrastructure.ts';
import type { Socket } from 'node:net';
import type { Admin } from 'kafkajs';

const brokerCount = 3;
const host = '127.0.0.1';

/** A broker that is silent for this long loses all leaderships. */
const sessionMs = 3_000;

/** The client id of a Kafka request: it follows length, API, version and number, and has its own length. */
const clientIdOf = (request: Buffer) => request.toString('utf8', 14, 14 + Math.max(0, request.readInt16BE(12)));

/** In front of a listener for other brokers: identifies each connection by its first request. */
class PeerLine extends TcpLine {
  isRefused: (clientId: string) => boolean = () => false;
  clientIds = new Map<Socket, string>();

  static to(port: number) {
    return new PeerLine(new URL(`tcp://${host}:${port}`)).listening();
  }

  /** Refuses these clients from now on, and resets their existing connections. */
  refuseFrom(isRefused: (clientId: string) => boolean) {
    this.isRefused = isRefused;
    for (const [client, clientId] of this.clientIds) if (isRefused(clientId)) client.resetAndDestroy();
  }

  override heal() {
    super.heal();
    this.isRefused = () => false;
  }

  override accept(client: Socket) {
    client.on('error', () => undefined).on('close', () => this.clientIds.delete(client));
    client.once('data', (first) => {
      const clientId = clientIdOf(first);
      if (this.isRefused(clientId)) return void client.resetAndDestroy();
      this.clientIds.set(client, clientId);
      client.pause();
      client.unshift(first);
      super.accept(client);
      client.resume();
    });
  }
}

/** The broker that sent a request, by its client id: `raft-client-2`, `broker-2-fetcher-0`, `2`. */
const brokerNamed = (clientId: string) => Number(/^(?:raft-client-|broker-)?(\d+)\b/.exec(clientId)?.[1] ?? 0);

class Broker extends Server {
  id: number;
  lines: Lines;

  constructor(id: number, spec: ServerSpec, port: number, lines: Lines) {
    super('kafka', spec, port);
    this.id = id;
    this.lines = lines;
  }

  /** Kills the broker, because without the others a graceful stop takes long. */
  override async stop() {
    await this.kill();
    for (const line of Object.values(this.lines)) line.close();
  }
}

interface Lines {
  clients: TcpLine;
  peers: PeerLine;
  controller: PeerLine;
}

interface Ports {
  clients: number;
  peers: number;
  controller: number;
}

const settings = (id: number, own: Ports, all: readonly Lines[]) => {
  const { clients, peers, controller } = all[id - 1] as Lines;
  const voters = all.map((lines, n) => `${n + 1}@${host}:${lines.controller.port}`);
  return `
node.id=${id}
controller.quorum.voters=${voters.join(',')}
listeners=CLIENTS://${host}:${own.clients},PEERS://${host}:${own.peers},CONTROLLER://${host}:${own.controller}
advertised.listeners=CLIENTS://${host}:${clients.port},PEERS://${host}:${peers.port},CONTROLLER://${host}:${controller.port}
inter.broker.listener.name=PEERS
listener.security.protocol.map=CLIENTS:PLAINTEXT,PEERS:PLAINTEXT,CONTROLLER:PLAINTEXT
default.replication.factor=${brokerCount}
min.insync.replicas=2
offsets.topic.replication.factor=${brokerCount}
transaction.state.log.replication.factor=${brokerCount}
transaction.state.log.min.isr=2
broker.session.timeout.ms=${sessionMs}
broker.heartbeat.interval.ms=500
replica.lag.time.max.ms=${sessionMs}
controller.quorum.election.timeout.ms=500
controller.quorum.fetch.timeout.ms=1500
controller.quorum.request.timeout.ms=1000
`;
};

/** Formatting takes a JVM some seconds, so the other brokers get a copy of the storage of the first one. */
const copyStorage = (first: string, folder: string, id: number) => {
  const [from, to] = [first, folder].map((one) => join(one, 'kafka/log'));
  cpSync(from as string, to as string, { recursive: true });
  const file = join(to as string, 'meta.properties');
  const directoryId = Buffer.alloc(16, id + 1).toString('base64url');
  const properties = readFileSync(file, 'utf8')
    .replace(/^node\.id=.*$/m, `node.id=${id}`)
    .replace(/^directory\.id=.*$/m, `directory.id=${directoryId}`);
  writeFileSync(file, properties);
};

export class Brokers {
  brokers: readonly Broker[];
  /** With these brokers, for clients. */
  infrastructure: Infrastructure;

  constructor(brokers: readonly Broker[], { binaries, databaseUrl }: Infrastructure) {
    this.brokers = brokers;
    const addresses = brokers.map(({ lines }) => `${host}:${lines.clients.port}`);
    this.infrastructure = new Infrastructure({ brokers: addresses, databaseUrl }, binaries);
  }

  static async start(infrastructure: Infrastructure, folder: string) {
    const { binaries } = infrastructure;
    const ids = Array.from({ length: brokerCount }, (_, n) => n + 1);
    const ports: Ports[] = [];
    for (const _ of ids)
      ports.push({ clients: await tcpPort(0), peers: await tcpPort(0), controller: await tcpPort(0) });
    const lines = await Promise.all(
      ports.map(async ({ clients, peers, controller }) => ({
        clients: await TcpLine.open(`${host}:${clients}`),
        peers: await PeerLine.to(peers),
        controller: await PeerLine.to(controller),
      })),
    );
    const brokers = new Brokers(
      ids.map((id, n) => {
        const own = ports[n] as Ports;
        const data = join(folder, `broker-${id}`);
        if (id > 1) copyStorage(join(folder, 'broker-1'), data, id);
        const spec = kafka({ binaries, data, logs: data, fast: true }, own.clients, own.controller, {
          properties: settings(id, own, lines),
          format: [],
        });
        return new Broker(id, spec, own.clients, lines[n] as Lines);
      }),
      infrastructure,
    );
    try {
      await Promise.all(brokers.brokers.map((broker) => broker.start()));
    } catch (error) {
      await brokers.stop();
      throw error;
    }
    return brokers;
  }

  broker(id: number) {
    const found = this.brokers.find((broker) => broker.id === id);
    if (!found) throw new Error(`there is no broker ${id}`);
    return found;
  }

  /** Cuts the broker off from the others, in both directions. Clients still reach all brokers. */
  isolate(isolated: Broker) {
    for (const { id, lines } of this.brokers)
      for (const line of [lines.peers, lines.controller])
        line.refuseFrom((clientId) => (brokerNamed(clientId) === isolated.id) !== (id === isolated.id));
  }

  reconnect() {
    for (const { lines } of this.brokers) for (const line of Object.values(lines)) line.heal();
  }

  /** Resolves when every partition has a leader, and is on every broker. */
  async settled(admin: Admin, topics: readonly string[]) {
    await waitUntil('the brokers', async () => {
      const found = await admin.fetchTopicMetadata({ topics: [...topics] }).catch(() => undefined);
      return !!found?.topics.every(({ partitions }) =>
        partitions.every(({ leader, isr }) => leader > 0 && isr.length === brokerCount),
      );
    });
  }

  async heal() {
    this.reconnect();
    await Promise.all(this.brokers.map((broker) => broker.heal()));
  }

  async stop() {
    this.reconnect();
    await Promise.all(this.brokers.map((broker) => broker.stop()));
  }
}
