/** Three Kafka brokers of one row, each stored message on all of them. Proxies stand in front of every listener. */
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { kafka, type EngineSpec } from '../tools/lanyard/engine-processes.ts';
import { tcpPort } from '../tools/lanyard/ports.ts';
import { waitUntil } from '../tools/lanyard/probes.ts';
import { Engine } from './engines.ts';
import { PeerProxy, TcpProxy } from './tcp-proxy.ts';
import type { Admin } from 'kafkajs';

const brokerCount = 3;
const host = '127.0.0.1';

/** A broker that is silent for so long leads nothing any more. */
const sessionMs = 3_000;

/** A request of another broker names it: `raft-client-2`, `broker-2-fetcher-0`, `2`. */
const brokerNamed = (clientId: string) => Number(/^(?:raft-client-|broker-)?(\d+)\b/.exec(clientId)?.[1] ?? 0);

class Broker extends Engine {
  id: number;
  doors: Doors;

  constructor(id: number, spec: EngineSpec, port: number, doors: Doors) {
    super('kafka', spec, port);
    this.id = id;
    this.doors = doors;
  }

  /** At once: without the others an orderly end takes long. */
  override async stop() {
    await this.kill();
    for (const proxy of Object.values(this.doors)) proxy.stop();
  }
}

interface Doors {
  clients: TcpProxy;
  peers: PeerProxy;
  controller: PeerProxy;
}

interface Ports {
  clients: number;
  peers: number;
  controller: number;
}

const settings = (id: number, own: Ports, all: readonly Doors[]) => {
  const { clients, peers, controller } = all[id - 1] as Doors;
  const voters = all.map((doors, n) => `${n + 1}@${host}:${doors.controller.port}`);
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

/** Formatting takes a JVM some seconds: the other brokers get a copy of what the first one made. */
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

  constructor(brokers: readonly Broker[]) {
    this.brokers = brokers;
  }

  static async start(binaries: string, folder: string) {
    const ids = Array.from({ length: brokerCount }, (_, n) => n + 1);
    const ports: Ports[] = [];
    for (const _ of ids)
      ports.push({ clients: await tcpPort(0), peers: await tcpPort(0), controller: await tcpPort(0) });
    const doors = await Promise.all(
      ports.map(async ({ clients, peers, controller }) => ({
        clients: await new TcpProxy(clients).start(),
        peers: await new PeerProxy(peers).start(),
        controller: await new PeerProxy(controller).start(),
      })),
    );
    const brokers = new Brokers(
      ids.map((id, n) => {
        const own = ports[n] as Ports;
        const data = join(folder, `broker-${id}`);
        if (id > 1) copyStorage(join(folder, 'broker-1'), data, id);
        const spec = kafka({ binaries, data, logs: data, fast: true }, own.clients, own.controller, {
          properties: settings(id, own, doors),
          format: [],
        });
        return new Broker(id, spec, own.clients, doors[n] as Doors);
      }),
    );
    try {
      await Promise.all(brokers.brokers.map((broker) => broker.start()));
    } catch (error) {
      await brokers.stop();
      throw error;
    }
    return brokers;
  }

  /** What clients are told. */
  get addresses() {
    return this.brokers.map(({ doors }) => `${host}:${doors.clients.port}`);
  }

  broker(id: number) {
    const found = this.brokers.find((broker) => broker.id === id);
    if (!found) throw new Error(`there is no broker ${id}`);
    return found;
  }

  /** The others and it do not reach each other any more. Clients reach all, it included. */
  isolate(lonely: Broker) {
    for (const { id, doors } of this.brokers)
      for (const proxy of [doors.peers, doors.controller])
        proxy.refuse((clientId) => (brokerNamed(clientId) === lonely.id) !== (id === lonely.id));
  }

  reconnect() {
    for (const { doors } of this.brokers) for (const proxy of Object.values(doors)) proxy.heal();
  }

  /** Every partition has a leader, and is on every broker. */
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
