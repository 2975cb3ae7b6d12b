/** What services know of each other: the last value of each key of the compacted topics; and back. */
import { topics } from '@lanyard/contracts';
import { KafkaConnection, KafkaProducer, StateReader } from '@lanyard/kafka';
import { createLogger } from '@lanyard/service';

const states = topics.filter(({ kind }) => kind === 'state');

/** @typedef {import('./backup-file.mjs').Kafka} Kafka */

/** @param {Kafka} kafka */
const connection = ({ brokers, topicPrefix, security }) =>
  new KafkaConnection({
    brokers: brokers.split(','),
    topicPrefix,
    ...(security && { security }),
    clientId: `backup-${process.pid}`,
    logger: createLogger({ app: 'backup', replicaId: 'backup', level: 'silent' }),
  });

/** @param {Kafka} from @param {(line: object) => Promise<void>} write */
export const dumpStates = async (from, write) => {
  const kafka = connection(from);
  /** @type {Record<string, number>} */
  const counts = {};
  await kafka.ensureTopics(states);
  for (const topic of states) {
    /** @type {StateReader<any>} */
    const reader = new StateReader(kafka, /** @type {any} */ (topic), {
      project: (value) => value,
      onFatal: (error) => {
        throw error;
      },
    });
    await reader.start();
    const values = [...reader.entries()].map(([, value]) => value);
    await reader.stop();
    counts[topic.name] = values.length;
    for (let n = 0; n < values.length; n += 1_000)
      await write({ topic: topic.name, values: values.slice(n, n + 1_000) });
  }
  await kafka.close();
  return counts;
};

export class StateWriter {
  /** @type {Record<string, number>} */
  counts = {};

  /** @param {Kafka} to */
  constructor(to) {
    this.kafka = connection(to);
    this.producer = new KafkaProducer(this.kafka, { source: 'restore' });
  }

  async open() {
    await this.kafka.ensureTopics(states);
    await this.producer.connect();
    return this;
  }

  /** @param {string} name @param {unknown[]} values */
  async write(name, values) {
    const topic = states.find((one) => one.name === name);
    if (!topic) throw new Error(`this version has no topic ${name}`);
    await Promise.all(values.map((value) => this.producer.send(/** @type {any} */ (topic), value)));
    this.counts[name] = (this.counts[name] ?? 0) + values.length;
  }

  async close() {
    await this.producer.disconnect();
    await this.kafka.close();
  }
}
