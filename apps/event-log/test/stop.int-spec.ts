import { describe, expect, it } from '@jest/globals';
import { bootstrap, createLogger } from '@lanyard/service';
import { engines, isolate, newIdentityKeys, TcpLine } from '@lanyard/testing';
import { definition } from '../src/app.module.js';
import { readConfig } from '../src/config.js';

const stopTimeoutMs = 4_000;

interface Lines {
  postgresql: TcpLine;
  kafka: TcpLine;
}

/** Starts the service on lines that can break, breaks some, and stops it. Answers what the stop logged. */
const stopLog = async (broken: readonly (keyof Lines)[]): Promise<string[]> => {
  const isolation = await isolate('event-log-stop');
  const lines: Lines = {
    postgresql: await TcpLine.open(isolation.databaseUrl),
    kafka: await TcpLine.toKafka(engines().brokers[0] as string),
  };
  const config = readConfig({
    KAFKA_BROKERS: lines.kafka.address,
    KAFKA_TOPIC_PREFIX: isolation.topicPrefix,
    DATABASE_URL: lines.postgresql.url,
    ...newIdentityKeys().serviceEnv,
  });
  const logged: string[] = [];
  const destination = { write: (line: string) => void logged.push((JSON.parse(line) as { msg: string }).msg) };
  const logger = createLogger({ app: 'event-log', replicaId: 'event-log-0', level: 'info', destination });
  const service = await bootstrap(definition, { ...config, stopTimeoutMs }, { logger });
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

describe('the stop of an event log', () => {
  it('ends all of its parts', async () => {
    expect((await stopLog([])).filter((line) => line.startsWith('stop'))).toEqual(['stopped']);
  });

  it.each<(keyof Lines)[][]>([[['postgresql']], [['kafka']], [['kafka', 'postgresql']]])(
    'leaves each part its share of the time while %s do not answer',
    async (broken) => {
      expect((await stopLog(broken)).at(-1)).toBe('stopped');
    },
  );
});
