import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { expect } from '@jest/globals';
import { infrastructure, eventually } from '@lanyard/testing';
import { Redis } from 'ioredis';

/** Any port that is free, or this one; rejects when it is not free. */
export const freePort = async (wanted = 0): Promise<number> => {
  const server = createServer().listen(wanted, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
};

export const programOfRedis = async (): Promise<string> => {
  const shared = new Redis(infrastructure().redisUrl);
  const [, program] = /^executable:(.+?)\r?$/m.exec(await shared.info('server')) ?? [];
  shared.disconnect();
  return program ?? 'redis-server';
};

/** The same Redis that all tests share, but for one test file: its memory may be full. */
export class OwnRedis {
  private constructor(
    readonly url: string,
    private readonly process: ChildProcess,
    private readonly client: Redis,
  ) {}

  static async start(): Promise<OwnRedis> {
    const port = await freePort();
    const args = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--maxmemory-policy', 'noeviction'];
    const child = spawn(await programOfRedis(), args, { stdio: 'ignore' });
    const client = new Redis({ port, host: '127.0.0.1', retryStrategy: () => 50 });
    client.on('error', () => undefined);
    await eventually(async () => expect(await client.ping()).toBe('PONG'));
    return new OwnRedis(`redis://127.0.0.1:${port}`, child, client);
  }

  /** So much more fits in; undefined: as much as comes. */
  async room(bytes?: number): Promise<void> {
    const used = Number(/^used_memory:(\d+)/m.exec(await this.client.info('memory'))?.[1]);
    await this.client.config('SET', 'maxmemory', bytes === undefined ? 0 : used + bytes);
  }

  /** Nothing fits in, however much is taken out. */
  async full(): Promise<void> {
    await this.client.config('SET', 'maxmemory', 1);
  }

  async evictionPolicy(policy: string): Promise<void> {
    await this.client.config('SET', 'maxmemory-policy', policy);
  }

  async ask(command: string, ...args: string[]): Promise<unknown> {
    return this.client.call(command, args);
  }

  async stop(): Promise<void> {
    this.client.disconnect();
    const ended = once(this.process, 'exit');
    this.process.kill();
    await ended;
  }
}
