import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from '@jest/globals';
import { eventually } from '@lanyard/testing';
import { Redis } from 'ioredis';
import { freePort, programOfRedis } from './own-redis.js';

const slots = 16_384;

/** Nodes talk to each other on a port that is so much higher. */
const busOffset = 10_000;

/** Redis ends at once when one of its two ports is taken, and servers of other tests listen in the range of the higher one. */
const clusterPort = async (): Promise<number> => {
  for (;;) {
    const port = await freePort();
    const isBusFree = await freePort(port + busOffset).then(
      () => true,
      () => false,
    );
    if (isBusFree) return port;
  }
};

interface Node {
  port: number;
  process: ChildProcess;
  client: Redis;
}

const startNode = async (program: string, folder: string): Promise<Node> => {
  const port = await clusterPort();
  const cluster = ['--cluster-enabled', 'yes', '--cluster-config-file', `nodes-${port}.conf`];
  const args = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--dir', folder, ...cluster];
  const child = spawn(program, args, { stdio: 'ignore' });
  const client = new Redis({ port, host: '127.0.0.1', retryStrategy: () => 50 });
  client.on('error', () => undefined);
  await eventually(async () => expect(await client.ping()).toBe('PONG'));
  return { port, process: child, client };
};

/** A Redis Cluster of two masters for one test file. */
export class OwnCluster {
  readonly url: string;

  private constructor(
    private readonly nodes: readonly [Node, Node],
    private readonly folder: string,
  ) {
    this.url = `redis+cluster://${nodes.map(({ port }) => `127.0.0.1:${port}`).join(',')}`;
  }

  static async start(): Promise<OwnCluster> {
    const folder = mkdtempSync(join(tmpdir(), 'redis-cluster-'));
    const program = await programOfRedis();
    const [first, second] = [await startNode(program, folder), await startNode(program, folder)];
    // A master that loses its last slot becomes a replica.
    for (const [n, { client }] of [first, second].entries())
      await client.cluster('ADDSLOTS', ...Array.from({ length: slots / 2 }, (_, slot) => (n * slots) / 2 + slot));
    await second.client.cluster('MEET', '127.0.0.1', first.port);
    for (const { client } of [first, second])
      await eventually(async () => {
        const info = String(await client.cluster('INFO'));
        expect(info).toContain('cluster_state:ok');
        expect(info).toContain('cluster_known_nodes:2');
      });
    return new OwnCluster([first, second], folder);
  }

  /**
   * Moves the slot of `key` to the node that does not have it, as `redis-cli --cluster reshard` does, one key at a time.
   * `next` is called before the first and after each one, and while the slot is still open. `isFirst`: keys to begin with.
   */
  async moveSlotOf(key: string, isFirst: (key: string) => boolean, next: () => Promise<void>): Promise<void> {
    const slot = await this.nodes[0].client.cluster('KEYSLOT', key);
    const [from, to] = await this.ownerFirst(slot);
    const [fromId, toId] = [String(await from.client.cluster('MYID')), String(await to.client.cluster('MYID'))];
    await to.client.cluster('SETSLOT', slot, 'IMPORTING', fromId);
    await from.client.cluster('SETSLOT', slot, 'MIGRATING', toId);
    await next();
    for (;;) {
      const left = await from.client.cluster('GETKEYSINSLOT', slot, 100);
      const moved = left.find((each) => isFirst(each)) ?? left.sort()[0];
      if (moved === undefined) break;
      await from.client.migrate('127.0.0.1', to.port, moved, 0, 5_000);
      await next();
    }
    for (const { client } of [to, from]) await client.cluster('SETSLOT', slot, 'NODE', toId);
  }

  async stop(): Promise<void> {
    for (const { client, process } of this.nodes) {
      client.disconnect();
      const ended = once(process, 'exit');
      process.kill();
      await ended;
    }
    rmSync(this.folder, { recursive: true, force: true });
  }

  private async ownerFirst(slot: number): Promise<[Node, Node]> {
    const [first, second] = this.nodes;
    const ranges = String(await first.client.cluster('NODES'))
      .split('\n')
      .find((line) => line.includes('myself'))
      ?.split(' ')
      .slice(8)
      .filter((range) => !range.startsWith('['))
      .map((range) => range.split('-').map(Number));
    const isFirsts = ranges?.some(([least = -1, most = least]) => least <= slot && slot <= most);
    return isFirsts ? [first, second] : [second, first];
  }
}
