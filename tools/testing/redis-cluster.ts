/** Redis nodes for one test, and a Redis Cluster of three masters with replicas, in which masters fail over and slots move. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { redis, type ServerSpec } from '../lanyard/infrastructure-processes.ts';
import { fetchInfrastructure } from '../lanyard/fetch-infrastructure.ts';
import { tcpPort } from '../lanyard/ports.ts';
import { answers, waitUntil } from '../lanyard/probes.ts';
import { ManagedProcess } from './managed-process.ts';

const host = '127.0.0.1';
const mastersMax = 3;
const slots = 16_384;

/** Nodes talk to each other on a port that is higher by this number. */
const busOffset = 10_000;

/** A node that is silent for this long is replaced. */
const nodeTimeoutMs = 2_000;
const migrateTimeoutMs = 5_000;

/** A node with a connection that outlives its restarts. */
export class RedisNode extends ManagedProcess {
  port: number;
  client: Redis;

  constructor(spec: ServerSpec, port: number) {
    super('redis', spec, () => answers.redis(`${host}:${port}`));
    this.port = port;
    this.client = new Redis({ port, host, lazyConnect: true, retryStrategy: () => 50 });
    this.client.on('error', () => undefined);
  }

  ask(command: string, ...args: (string | number)[]) {
    return this.client.call(command, args);
  }

  async isMaster() {
    return ((await this.ask('ROLE')) as string[])[0] === 'master';
  }

  /** Whether it is connected to its master, and has all of its data. */
  async isReplicating() {
    const role = (await this.ask('ROLE')) as unknown[];
    return role[0] === 'slave' && role[3] === 'connected';
  }

  override async stop() {
    this.client.disconnect();
    await super.stop();
  }
}

/**
 * Kills `master` so that its last writes reach no replica.
 * @param wait called while replicas lag
 */
export const killWithLag = async (master: RedisNode, replicas: readonly RedisNode[], wait: () => Promise<unknown>) => {
  for (const replica of replicas) replica.pause();
  // Otherwise the last writes would wait in the sockets until the replicas run again.
  await master.ask('CLIENT', 'KILL', 'TYPE', 'replica');
  await wait();
  await master.kill();
  for (const replica of replicas) replica.resume();
};

const clusterPort = async () => {
  for (;;) {
    const port = await tcpPort(0);
    if ((await tcpPort(port + busOffset)) === port + busOffset) return port;
  }
};

const clusterNode = async (binaries: string, folder: string) => {
  mkdirSync(folder, { recursive: true });
  const port = await clusterPort();
  const spec = redis({ binaries, data: folder, logs: folder, fast: true }, port);
  const cluster = ['--cluster-enabled', 'yes', '--cluster-node-timeout', String(nodeTimeoutMs)];
  return new RedisNode({ ...spec, args: [...spec.args, ...cluster] }, port);
};

export class RedisCluster {
  /** Masters first, then replicas; at first, the n-th replica belongs to the n-th master. */
  nodes: readonly RedisNode[];

  constructor(nodes: readonly RedisNode[]) {
    this.nodes = nodes;
  }

  static async start(folder: string, replicas: number = mastersMax) {
    const binaries = await fetchInfrastructure();
    const nodes: RedisNode[] = [];
    for (let n = 0; n < mastersMax + replicas; n++) nodes.push(await clusterNode(binaries, join(folder, `node-${n}`)));
    const cluster = new RedisCluster(nodes);
    try {
      await Promise.all(nodes.map((node) => node.start()));
      await cluster.form();
    } catch (error) {
      await cluster.stop();
      throw error;
    }
    return cluster;
  }

  async form() {
    const [masters, replicas] = [this.nodes.slice(0, mastersMax), this.nodes.slice(mastersMax)];
    for (const [n, node] of masters.entries()) {
      const [from, to] = [Math.floor((n * slots) / mastersMax), Math.floor(((n + 1) * slots) / mastersMax)];
      await node.ask('CLUSTER', 'ADDSLOTS', ...Array.from({ length: to - from }, (_, slot) => from + slot));
    }
    for (const node of this.nodes.slice(1)) await node.ask('CLUSTER', 'MEET', host, this.ports[0] ?? 0);
    for (const [n, replica] of replicas.entries()) {
      const id = String(await masters[n]?.ask('CLUSTER', 'MYID'));
      const isKnown = () => replica.ask('CLUSTER', 'REPLICATE', id).then(Boolean, () => false);
      await waitUntil('a replica', isKnown);
    }
    await waitUntil('the Redis cluster', async () => {
      const infos = await this.infos();
      return infos.every((info) => info.includes(`cluster_known_nodes:${this.nodes.length}`));
    });
    await this.settled();
  }

  get ports() {
    return this.nodes.map(({ port }) => port);
  }

  get url() {
    return `redis+cluster://${this.ports.map((port) => `${host}:${port}`).join(',')}`;
  }

  /** Each master with the replica that will take over from it. */
  async pairs() {
    const ids = await Promise.all(this.nodes.map(async (node) => String(await node.ask('CLUSTER', 'MYID'))));
    const lines = String(await this.nodes[0]?.ask('CLUSTER', 'NODES')).split('\n');
    return lines.flatMap((line) => {
      const [id = '', , flags = '', masterId = ''] = line.split(' ');
      const [master, replica] = [this.nodes[ids.indexOf(masterId)], this.nodes[ids.indexOf(id)]];
      return flags.includes('slave') && master && replica ? [{ master, replica }] : [];
    });
  }

  /** The slot of the keys with a hash tag. */
  async slotOf(tag: string) {
    return Number(await this.nodes[0]?.ask('CLUSTER', 'KEYSLOT', `{${tag}}`));
  }

  async ownerOf(slot: number): Promise<RedisNode> {
    const ranges = (await this.nodes[0]?.ask('CLUSTER', 'SLOTS')) as [number, number, [string, number]][];
    const port = ranges.find(([from, to]) => slot >= from && slot <= to)?.[2][1];
    const node = this.nodes.find((one) => one.port === port);
    if (!node) throw new Error(`no node has slot ${slot}`);
    return node;
  }

  /**
   * Moves a slot as `redis-cli --cluster reshard` does, some keys at a time.
   * @param wait called between the steps
   */
  async move(slot: number, target: RedisNode, keysAtOnce: number, wait: () => Promise<unknown>) {
    const source = await this.ownerOf(slot);
    const [from = '', to = ''] = [await source.ask('CLUSTER', 'MYID'), await target.ask('CLUSTER', 'MYID')].map(String);
    await target.ask('CLUSTER', 'SETSLOT', slot, 'IMPORTING', from);
    await source.ask('CLUSTER', 'SETSLOT', slot, 'MIGRATING', to);
    for (;;) {
      const keys = (await source.ask('CLUSTER', 'GETKEYSINSLOT', slot, keysAtOnce)) as string[];
      if (keys.length === 0) break;
      await source.ask('MIGRATE', host, target.port, '', 0, migrateTimeoutMs, 'KEYS', ...keys);
      await wait();
    }
    // The new owner is told first, so that no client is redirected to a node that refuses.
    await target.ask('CLUSTER', 'SETSLOT', slot, 'NODE', to);
    for (const node of this.nodes) if (await node.isMaster()) await node.ask('CLUSTER', 'SETSLOT', slot, 'NODE', to);
  }

  /** Resolves when every node knows every slot, and every replica follows its master. */
  async settled() {
    await waitUntil('the Redis cluster', async () => {
      const infos = await this.infos();
      const masters = (await Promise.all(this.nodes.map((node) => node.isMaster()))).filter(Boolean).length;
      const following = (await Promise.all(this.nodes.map((node) => node.isReplicating()))).filter(Boolean).length;
      const isOk = infos.every((info) => info.includes('cluster_state:ok'));
      return isOk && masters === mastersMax && following === this.nodes.length - mastersMax;
    });
  }

  async heal() {
    await Promise.all(this.nodes.map((node) => node.heal()));
    await this.settled();
  }

  async stop() {
    await Promise.all(this.nodes.map((node) => node.stop()));
  }

  infos() {
    return Promise.all(this.nodes.map(async (node) => String(await node.ask('CLUSTER', 'INFO'))));
  }
}
