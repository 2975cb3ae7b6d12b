/** A Redis for one row with two replicas, and three sentinels that elect a new master. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { redis, type ServerSpec } from '../tools/lanyard/infrastructure-processes.ts';
import { tcpPort } from '../tools/lanyard/ports.ts';
import { waitUntil } from '../tools/lanyard/probes.ts';
import { RedisNode } from '../tools/testing/redis-cluster.ts';

const name = 'the-master';
const nodeCount = 3;
const sentinelCount = 3;
const quorum = 2;

const sentinelSpec = (binaries: string, folder: string, port: number, masterPort: number): ServerSpec => {
  mkdirSync(folder, { recursive: true });
  const file = join(folder, 'sentinel.conf');
  const lines = [
    `port ${port}`,
    'bind 127.0.0.1',
    `dir ${folder}`,
    `sentinel monitor ${name} 127.0.0.1 ${masterPort} ${quorum}`,
    `sentinel down-after-milliseconds ${name} 1500`,
    `sentinel failover-timeout ${name} 5000`,
    `sentinel parallel-syncs ${name} 2`,
  ];
  writeFileSync(file, `${lines.join('\n')}\n`);
  return {
    command: join(binaries, 'redis-server'),
    args: [file, '--sentinel'],
    logFile: join(folder, 'sentinel.log'),
    marker: file,
    signature: `redis-server 127.0.0.1:${port} [sentinel]`,
    stopSignal: 'SIGTERM',
  };
};

export class Sentinels {
  nodes: readonly RedisNode[];
  sentinels: readonly RedisNode[];

  constructor(nodes: readonly RedisNode[], sentinels: readonly RedisNode[]) {
    this.nodes = nodes;
    this.sentinels = sentinels;
  }

  static async start(binaries: string, folder: string) {
    const nodes: RedisNode[] = [];
    const sentinels: RedisNode[] = [];
    for (let n = 0; n < nodeCount; n++) {
      const [port, data] = [await tcpPort(0), join(folder, `redis-${n}`)];
      nodes.push(new RedisNode(redis({ binaries, data, logs: data, fast: true }, port), port));
    }
    const masterPort = (nodes[0] as RedisNode).port;
    for (let n = 0; n < sentinelCount; n++) {
      const port = await tcpPort(0);
      sentinels.push(new RedisNode(sentinelSpec(binaries, join(folder, `sentinel-${n}`), port, masterPort), port));
    }
    const all = new Sentinels(nodes, sentinels);
    try {
      await Promise.all(nodes.map((node) => node.start()));
      await all.follow(masterPort);
      await Promise.all(sentinels.map((sentinel) => sentinel.start()));
      await all.settled();
    } catch (error) {
      await all.stop();
      throw error;
    }
    return all;
  }

  get redisPorts() {
    return this.nodes.map(({ port }) => port);
  }

  get environment() {
    const addresses = this.sentinels.map(({ port }) => `127.0.0.1:${port}`);
    return { REDIS_URL: `redis+sentinel://${addresses.join(',')}/${name}` };
  }

  /** The port of the master according to each sentinel. */
  async masterPorts() {
    const answers = await Promise.all(
      this.sentinels.map((one) => one.ask('SENTINEL', 'GET-MASTER-ADDR-BY-NAME', name)),
    );
    return answers.map((answer) => Number((answer as string[])[1]));
  }

  /** The master on which all sentinels agree. */
  async master() {
    const [port, ...others] = await this.masterPorts();
    return others.every((other) => other === port) ? this.nodes.find((node) => node.port === port) : undefined;
  }

  /** Lets a replica take over although the master is well. Sentinels refuse that until they know their replicas. */
  async failOver() {
    const asked = async () => this.sentinels[0]?.ask('SENTINEL', 'FAILOVER', name).then(Boolean, () => false) ?? false;
    await waitUntil('the sentinel', asked);
  }

  /** Makes every other node a replica of this one, as an operator would configure nodes that are restarted. */
  async follow(masterPort: number) {
    for (const node of this.nodes) if (node.port !== masterPort) await node.ask('REPLICAOF', '127.0.0.1', masterPort);
  }

  /** Resolves when the sentinels agree on a master and know its replicas, and these have all its data. */
  async settled() {
    await waitUntil('the sentinels', async () => {
      const master = await this.master();
      if (!master || !(await master.isMaster())) return false;
      const replicas = await Promise.all(this.nodes.map((node) => node.isReplicating()));
      if (replicas.filter(Boolean).length !== nodeCount - 1) return false;
      const known = await Promise.all(this.sentinels.map((one) => one.ask('SENTINEL', 'REPLICAS', name)));
      return known.every((list) => (list as unknown[]).length === nodeCount - 1);
    });
  }

  async heal() {
    await Promise.all([...this.nodes, ...this.sentinels].map((node) => node.heal()));
    await waitUntil('the sentinels', async () => (await this.master()) !== undefined);
    await this.follow((await this.master())?.port ?? 0);
    await this.settled();
  }

  async stop() {
    await Promise.all([...this.sentinels, ...this.nodes].map((node) => node.stop()));
  }
}
