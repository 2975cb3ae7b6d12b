import { describe, expect, it } from '@jest/globals';
import { bootstrap, createLogger } from '@lanyard/service';
import { engines, isolate, newIdentityKeys, TcpLine } from '@lanyard/testing';
import { definition } from '../src/app.module.js';
import { readConfig } from '../src/config.js';

const stopTimeoutMs = 4_000;

interface Lines {
  postgresql: TcpLine;
  kafka: TcpLine;
  redis: TcpLine;
}

/** Starts the service on lines that can break, breaks some, and stops it. Answers what the stop logged. */
const stopLog = async (broken: readonly (keyof Lines)[]): Promise<string[]> => {
  const isolation = await isolate('device-proxy-stop');
  const lines: Lines = {
    postgresql: await TcpLine.open(isolation.databaseUrl),
    kafka: await TcpLine.toKafka(engines().brokers[0] as string),
    redis: await TcpLine.open(engines().redisUrl),
  };
  const config = readConfig({
    KAFKA_BROKERS: lines.kafka.address,
    KAFKA_TOPIC_PREFIX: isolation.topicPrefix,
    DATABASE_URL: lines.postgresql.url,
    REDIS_URL: lines.redis.url,
    DEVICE_PROXY_REDIS_PREFIX: `${isolation.redisPrefix}dp:`,
    DEVICE_PROXY_COAP_TLS_ENABLED: 'true',
    DEVICE_PROXY_COAP_TLS_PORT: '0',
    ...newIdentityKeys().serviceEnv,
    ENCRYPTION_KEY: Buffer.alloc(32).toString('base64'),
  });
  const logged: string[] = [];
  const destination = { write: (line: string) => void logged.push((JSON.parse(line) as { msg: string }).msg) };
  const logger = createLogger({ app: 'device-proxy', replicaId: 'dp-0', level: 'info', destination });
  const http = { host: '127.0.0.1', port: 0 };
  const service = await bootstrap(definition, { ...config, http, stopTimeoutMs }, { logger });
  try {
    for (const engine of broken) lines[engine].swallow();
    const before = logged.length;
    await service.stop();
    await expect(fetch(`${service.url}/healthz`)).rejects.toThrow();
    return logged.slice(before);
  } finally {
    for (const line of Object.values(lines) as TcpLine[]) line.heal();
    await isolation.drop();
    for (const line of Object.values(lines) as TcpLine[]) line.close();
  }
};

describe('the stop of a device proxy', () => {
  it('ends all of its parts', async () => {
    expect((await stopLog([])).filter((line) => line.startsWith('stop'))).toEqual(['stopped']);
  });

  it.each<(keyof Lines)[][]>([[['postgresql']], [['kafka']], [['redis']], [['kafka', 'postgresql', 'redis']]])(
    'leaves each part its share of the time while %s do not answer',
    async (broken) => {
      expect((await stopLog(broken)).at(-1)).toBe('stopped');
    },
  );
});
