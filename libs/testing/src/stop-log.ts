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
 * The time that all parts of a stop have together when a part of the infrastructure does not answer. It is short,
 * because such a stop uses all of it.
 */
const sharedMs = 4_000;

interface Started {
  service: { url: string; stop(): Promise<void> };
  /** Its `StopDeadline`. */
  deadline: { begin(timeoutMs: number): void };
}

/**
 * A consumer waits 2 s for Kafka to end its membership, and logs this line then. It also logs the line when the machine
 * itself stands still for that long.
 */
const isOfSlowMachine = (line: string): boolean => line.startsWith('stop: Kafka does not answer');

/**
 * Starts a service that reaches its infrastructure through TCP proxies, makes those of `broken` swallow all bytes,
 * stops the service, and checks that it no longer listens. Returns the messages that the stop logged, without those of
 * a slow machine. The service itself has its own, longer time for the stop: the last share ends a moment before the
 * shared time does, and the process may stand still for longer than that.
 */
export const stopLog = async (
  name: string,
  broken: readonly InfrastructureName[],
  start: (options: StoppedStart) => Promise<Started>,
): Promise<string[]> => {
  const isolation = await isolate(name);
  const lines = {
    postgresql: await TcpLine.open(isolation.databaseUrl),
    kafka: await TcpLine.toKafka(infrastructure().brokers[0] as string),
    redis: await TcpLine.open(infrastructure().redisUrl),
  };
  const logged: string[] = [];
  const { service, deadline } = await start({
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
    if (broken.length > 0) deadline.begin(sharedMs);
    await service.stop();
    const stillAnswers = await fetch(`${service.url}/healthz`).catch(() => undefined);
    if (stillAnswers) throw new Error(`${service.url} still answers`);
    return logged.slice(before).filter((line) => !isOfSlowMachine(line));
  } finally {
    for (const line of Object.values(lines)) line.heal();
    await isolation.drop();
    for (const line of Object.values(lines)) line.close();
  }
};
