/** The state that services know of each other, as the last value of each key of the compacted topics: read and restored. */
import { topics, type Topic } from '@lanyard/contracts';
import { KafkaConnection, KafkaProducer, StateReader } from '@lanyard/kafka';
import { createLogger } from '@lanyard/service';
import { Stop } from '../lanyard/project.ts';
import type { Kafka } from './backup-file.ts';
import { pagesOf } from './database.ts';

const states = topics.filter(({ kind }) => kind === 'state');

const connection = ({ brokers, topicPrefix, security, minInsyncReplicas }: Kafka) =>
  new KafkaConnection({
    brokers: brokers.split(','),
    topicPrefix,
    ...(minInsyncReplicas !== undefined && { minInsyncReplicas }),
    ...(security && { security }),
    clientId: `backup-${process.pid}`,
    logger: createLogger({ app: 'backup', replicaId: 'backup', level: 'silent' }),
  });

/** The lines with the values of a topic. */
export const linesOf = (topic: string, values: readonly unknown[]) =>
  pagesOf(values, (value) => JSON.stringify(value).length).map((page) => ({ topic, values: page }));

export const dumpStates = async (from: Kafka, write: (line: object) => Promise<void>) => {
  const kafka = connection(from);
  const counts: Record<string, number> = {};
  await kafka.ensureTopics(states);
  for (const topic of states) {
    const reader = new StateReader(kafka, topic as Topic<unknown>, {
      project: (value) => value,
      onFatal: (error) => {
        throw error;
      },
    });
    await reader.start();
    const values = [...reader.entries()].map(([, value]) => value);
    await reader.stop();
    counts[topic.name] = values.length;
    for (const line of linesOf(topic.name, values)) await write(line);
  }
  await kafka.close();
  return counts;
};

/** Throws Stop when this version has no such topic. */
export const stateTopic = (name: string) => {
  const topic = states.find((one) => one.name === name);
  if (!topic) throw new Stop(`this version has no topic ${name}`);
  return topic as Topic<unknown>;
};

export class StateWriter {
  counts: Record<string, number> = {};
  kafka: KafkaConnection;
  producer: KafkaProducer;

  constructor(to: Kafka) {
    this.kafka = connection(to);
    this.producer = new KafkaProducer(this.kafka, { source: 'restore' });
  }

  async open() {
    await this.kafka.ensureTopics(states);
    await this.producer.connect();
    return this;
  }

  async write(name: string, values: unknown[]) {
    const topic = stateTopic(name);
    await Promise.all(values.map((value) => this.producer.send(topic, value)));
    this.counts[name] = (this.counts[name] ?? 0) + values.length;
  }

  async close() {
    await this.producer.disconnect();
    await this.kafka.close();
  }
}
