import { infrastructure, isolate } from './infrastructure.js';
import { TcpLine } from './tcp-line.js';

export type InfrastructureName = 'postgresql' | 'kafka' | 'redis';

/** Environment and log of a service that is stopped while a part of its infrastructure does not answer. */
export interface StoppedStart {
  environment: { KAFKA_BROKERS: string; KAFKA_TOPIC_PREFIX: string; DATABASE_URL: string; REDIS_URL: string };
  redisPrefix: string;
  /** Where it logs to, as JSON. */
  destination: { write(line: string): void };
}

/**
 * Starts a service on lines that can break, breaks some, stops the service, and checks that it no longer listens. Returns
 * the messages that the stop logged.
 */
export const stopLog = async (
  name: string,
  broken: readonly InfrastructureName[],
  start: (options: StoppedStart) => Promise<{ url: string; stop(): Promise<void> }>,
): Promise<string[]> => {
  const isolation = await isolate(name);
  const lines = {
    postgresql: await TcpLine.open(isolation.databaseUrl),
    kafka: await TcpLine.toKafka(infrastructure().brokers[0] as string),
    redis: await TcpLine.open(infrastructure().redisUrl),
  };
  const logged: string[] = [];
  const service = await start({
    environment: {
      KAFKA_BROKERS: lines.kafka.address,
      KAFKA_TOPIC_PREFIX: isolation.topicPrefix,
      DATABASE_URL: lines.postgresql.url,
      REDIS_URL: lines.redis.url,
    },
    redisPrefix: isolation.redisPrefix,
    destination: { write: (line) => void logged.push((JSON.parse(line) as { msg: string }).msg) },
  });
  try {
    for (const part of broken) lines[part].swallow();
    const before = logged.length;
    await service.stop();
    const stillAnswers = await fetch(`${service.url}/healthz`).catch(() => undefined);
    if (stillAnswers) throw new Error(`${service.url} still answers`);
    return logged.slice(before);
  } finally {
    for (const line of Object.values(lines)) line.heal();
    await isolation.drop();
    for (const line of Object.values(lines)) line.close();
  }
};
