/** A Redis Cluster of one row: three masters, each with a replica. Masters fail over, and slots move. */
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { clusterNodeSpec, clusterPort, formCluster } from '../tools/lanyard/redis-cluster.ts';
import { waitUntil } from '../tools/lanyard/probes.ts';
import { Engine } from './engines.ts';
import type { EngineSpec } from '../tools/lanyard/engine-processes.ts';

const nodeCount = 6;
const migrateTimeoutMs = 5_000;

/** A node with a connection that outlives its restarts. */
export class RedisNode extends Engine {
  client: Redis;

  constructor(spec: EngineSpec, port: number) {
    super('redis', spec, port);
    this.client = new Redis({ port, host: '127.0.0.1', lazyConnect: true, retryStrategy: () => 50 });
    this.client.on('error', () => undefined);
  }

  ask(command: string, ...args: (string | number)[]) {
    return this.client.call(command, args);
  }

  async isMaster() {
    return ((await this.ask('ROLE')) as string[])[0] === 'master';
  }

  /** Is connected to its master. */
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
 * The last writes of `master` reach no replica.
 * @param wait while replicas lag
 */
export const killWithLag = async (master: RedisNode, replicas: readonly RedisNode[], wait: () => Promise<unknown>) => {
  for (const replica of replicas) replica.pause();
  // Otherwise the last writes wait in their sockets until they run again.
  await master.ask('CLIENT', 'KILL', 'TYPE', 'replica');
  await wait();
  await master.kill();
  for (const replica of replicas) replica.resume();
};

export class RedisCluster {
  nodes: readonly RedisNode[];

  constructor(nodes: readonly RedisNode[]) {
    this.nodes = nodes;
  }

  static async start(binaries: string, folder: string) {
    const nodes: RedisNode[] = [];
    for (let n = 0; n < nodeCount; n++) {
      const port = await clusterPort();
      nodes.push(new RedisNode(clusterNodeSpec(binaries, join(folder, `node-${n}`), port), port));
    }
    const cluster = new RedisCluster(nodes);
    try {
      await Promise.all(nodes.map((node) => node.start()));
      await formCluster(nodes.map(({ port }) => port));
    } catch (error) {
      await cluster.stop();
      throw error;
    }
    return cluster;
  }

  get ports() {
    return this.nodes.map(({ port }) => port);
  }

  get url() {
    return `redis+cluster://${this.ports.map((port) => `127.0.0.1:${port}`).join(',')}`;
  }

  /** Each master with the replica that takes over from it. */
  async pairs() {
    const ids = await Promise.all(this.nodes.map(async (node) => String(await node.ask('CLUSTER', 'MYID'))));
    const lines = String(await this.nodes[0]?.ask('CLUSTER', 'NODES')).split('\n');
    return lines.flatMap((line) => {
      const [id = '', , flags = '', masterId = ''] = line.split(' ');
      const [master, replica] = [this.nodes[ids.indexOf(masterId)], this.nodes[ids.indexOf(id)]];
      return flags.includes('slave') && master && replica ? [{ master, replica }] : [];
    });
  }

  /** Where the keys with a hash tag are. */
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
   * As `redis-cli --cluster reshard` does, some keys at a time.
   * @param wait between the steps
   */
  async move(slot: number, target: RedisNode, keysAtOnce: number, wait: () => Promise<unknown>) {
    const source = await this.ownerOf(slot);
    const [from, to] = [await source.ask('CLUSTER', 'MYID'), await target.ask('CLUSTER', 'MYID')].map(String);
    await target.ask('CLUSTER', 'SETSLOT', slot, 'IMPORTING', from ?? '');
    await source.ask('CLUSTER', 'SETSLOT', slot, 'MIGRATING', to ?? '');
    for (;;) {
      const keys = (await source.ask('CLUSTER', 'GETKEYSINSLOT', slot, keysAtOnce)) as string[];
      if (keys.length === 0) break;
      await source.ask('MIGRATE', '127.0.0.1', target.port, '', 0, migrateTimeoutMs, 'KEYS', ...keys);
      await wait();
    }
    // The new owner first: no client is redirected to a node that refuses.
    await target.ask('CLUSTER', 'SETSLOT', slot, 'NODE', to ?? '');
    for (const node of this.nodes)
      if (await node.isMaster()) await node.ask('CLUSTER', 'SETSLOT', slot, 'NODE', to ?? '');
  }

  /** Every node knows every slot, and every replica follows its master. */
  async settled() {
    await waitUntil('the Redis cluster', async () => {
      const infos = await Promise.all(this.nodes.map((node) => node.ask('CLUSTER', 'INFO')));
      const masters = (await Promise.all(this.nodes.map((node) => node.isMaster()))).filter(Boolean).length;
      const following = await Promise.all(this.nodes.map((node) => node.isReplicating()));
      return (
        infos.every((info) => String(info).includes('cluster_state:ok')) &&
        masters === nodeCount / 2 &&
        following.filter(Boolean).length === nodeCount / 2
      );
    });
  }

  async heal() {
    await Promise.all(this.nodes.map((node) => node.heal()));
    await this.settled();
  }

  async stop() {
    await Promise.all(this.nodes.map((node) => node.stop()));
  }
}
