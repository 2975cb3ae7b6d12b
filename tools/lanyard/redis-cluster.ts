/** A Redis cluster of its own on this machine: three masters, and a replica that takes over from the first. For tests. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { redis, type EngineSpec } from './engine-processes.ts';
import { fetchEngines } from './fetch-engines.ts';
import { tcpPort } from './ports.ts';
import { answers, waitUntil } from './probes.ts';
import { isProcess, launch, stopProcess } from './processes.ts';

const masters = 3;
const slots = 16_384;

/** Nodes talk to each other on a port that is so much higher. */
const busOffset = 10_000;

/** A node that is silent for so long is replaced. */
const nodeTimeoutMs = 2_000;

export const clusterPort = async () => {
  for (;;) {
    const port = await tcpPort(0);
    if ((await tcpPort(port + busOffset)) === port + busOffset) return port;
  }
};

export const on = async <T>(port: number, work: (client: Redis) => Promise<T>): Promise<T> => {
  const client = new Redis({ port, host: '127.0.0.1' });
  try {
    return await work(client);
  } finally {
    client.disconnect();
  }
};

/** A Redis that may become a node of a cluster. */
export const clusterNodeSpec = (binaries: string, folder: string, port: number) => {
  mkdirSync(folder, { recursive: true });
  const spec = redis({ binaries, data: folder, logs: folder, fast: true }, port);
  const cluster = ['--cluster-enabled', 'yes', '--cluster-node-timeout', String(nodeTimeoutMs)];
  return { ...spec, args: [...spec.args, ...cluster] };
};

class Node {
  port: number;
  spec: EngineSpec;
  pid?: number;

  constructor(binaries: string, folder: string, port: number) {
    this.port = port;
    this.spec = clusterNodeSpec(binaries, folder, port);
  }

  async start() {
    this.pid = launch(this.spec);
    await waitUntil('a node of the Redis cluster', () => answers.listener('127.0.0.1', this.port), {
      alive: () => isProcess(this.pid, this.spec.marker),
      hint: `See ${this.spec.logFile}`,
    });
  }

  async end(signal: NodeJS.Signals = 'SIGTERM') {
    await stopProcess(this.pid, { signal, waitMs: 20_000 });
  }
}

/**
 * Makes one cluster of nodes that run: the first three are masters, the n-th of the others is the replica of the n-th master.
 */
export const formCluster = async (ports: number[]) => {
  const [first = 0, ...others] = ports;
  for (const [n, port] of ports.slice(0, masters).entries())
    await on(port, (client) => {
      const [from, to] = [Math.floor((n * slots) / masters), Math.floor(((n + 1) * slots) / masters)];
      return client.cluster('ADDSLOTS', ...Array.from({ length: to - from }, (_, slot) => from + slot));
    });
  for (const port of others) await on(port, (client) => client.cluster('MEET', '127.0.0.1', first));
  for (const [n, port] of ports.slice(masters).entries()) {
    const id = String(await on(ports[n] ?? 0, (client) => client.cluster('MYID')));
    await waitUntil('a replica', () =>
      on(port, async (client) => {
        await client.cluster('REPLICATE', id);
        return true;
      }).catch(() => false),
    );
  }
  for (const port of ports)
    await waitUntil('the Redis cluster', async () => {
      const info = String(await on(port, (client) => client.cluster('INFO')));
      return info.includes('cluster_state:ok') && info.includes(`cluster_known_nodes:${ports.length}`);
    });
  // A replica must have what its master has before it may take over.
  for (const port of ports.slice(masters))
    await waitUntil('replication', async () =>
      String(await on(port, (client) => client.info('replication'))).includes('master_link_status:up'),
    );
};

/** `nodes`: masters, then the replica of the first. */
export const startRedisCluster = async (folder: string) => {
  const binaries = await fetchEngines();
  const nodes: Node[] = [];
  for (let n = 0; n <= masters; n++) nodes.push(new Node(binaries, join(folder, `node-${n}`), await clusterPort()));
  const stop = async (): Promise<void> => void (await Promise.all(nodes.map((node) => node.end())));
  try {
    await Promise.all(nodes.map((node) => node.start()));
    await formCluster(nodes.map(({ port }) => port));
  } catch (error) {
    await stop();
    throw error;
  }
  const url = `redis+cluster://${nodes.map(({ port }) => `127.0.0.1:${port}`).join(',')}`;
  return { nodes, url, stop };
};
