import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { keepSubscribed, type RedisClient, redisClient } from '@lanyard/service';
import { eventually } from '@lanyard/testing';
import { redis, removeData } from './lanyard/infrastructure-processes.ts';
import { fetchInfrastructure } from './lanyard/fetch-infrastructure.ts';
import { tcpPort } from './lanyard/ports.ts';
import { infrastructureFolder } from './lanyard/project.ts';
import { commandLine, kill, launch, processesIn, stopProcess } from './lanyard/processes.ts';

/** A fork tells its Redis how far it is after the first key, and ends when that is gone. */
const firstKeyMs = 600_000;

describe('a Redis that is killed while its fork saves', () => {
  const folder = mkdtempSync(join(infrastructureFolder(), '../test-redis-fork-'));
  const clients: RedisClient[] = [];
  let spec: ReturnType<typeof redis>;
  let port: number;
  /** Leads a process group that its forks belong to. */
  const pids: number[] = [];

  const client = (): RedisClient => {
    const made = redisClient(`redis://127.0.0.1:${port}`, { maxRetriesPerRequest: 0, retryStrategy: () => 50 });
    made.on('error', () => undefined);
    clients.push(made);
    return made;
  };

  const startRedis = async (): Promise<void> => {
    pids.push(launch(spec));
    await eventually(async () => expect(await client().ping()).toBe('PONG'));
  };

  const forkThatStays = async (): Promise<void> => {
    const any = client();
    await any.set('key', 'value');
    await any.config('SET', 'rdb-key-save-delay', firstKeyMs * 1_000);
    await any.bgsave();
    // Until then it has the title of its Redis, which may not run twice.
    await eventually(() =>
      processesIn(join(folder, 'redis')).some((pid) => commandLine(pid).includes('redis-rdb-bgsave')),
    );
  };

  beforeAll(async () => {
    const binaries = await fetchInfrastructure();
    port = await tcpPort(0);
    spec = redis({ binaries, data: folder, logs: folder, fast: true }, port);
    await startRedis();
  });

  afterAll(async () => {
    for (const made of clients) made.disconnect();
    for (const pid of pids) kill(-pid, 'SIGKILL');
    removeData(folder);
  });

  it('is left by those who talk to it and by those who listen, long before the fork ends', async () => {
    const talking = client();
    const listening = client();
    const messages: string[] = [];
    listening.on('message', (_channel: string, message: string) => messages.push(message));
    await keepSubscribed(listening, ['news']);
    const closed: string[] = [];
    talking.once('close', () => closed.push('talking'));
    listening.once('close', () => closed.push('listening'));
    await forkThatStays();
    await stopProcess(pids[0], { signal: 'SIGKILL', waitMs: 5_000 });
    await startRedis();
    await eventually(() => expect(closed.sort()).toEqual(['listening', 'talking']));
    await eventually(async () => {
      await talking.publish('news', 'again');
      expect(messages).toContain('again');
    });
  });
});
