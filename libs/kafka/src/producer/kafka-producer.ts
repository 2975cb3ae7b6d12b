import { encodeMessage, type EncodedMessage, encodeTombstone, type MessageMeta, type Topic } from '@lanyard/contracts';
import type { Message, Producer, TopicMessages } from 'kafkajs';
import type { KafkaConnection } from '../connection/kafka-connection.js';
import { logRequests } from '../request-log.js';
import { keyPartitioner } from './partitioner.js';
import './produce-request.js';

/** Bounds of one request to the brokers. */
const requestMessagesMax = 1_000;
const requestBytesMax = 512 * 1024;

/** More than this waiting means that Kafka is away: callers are refused, and stop taking in. */
const pendingMax = 100_000;

/** Kafka has been away for so long that the producer takes no more. */
export class ProducerFull extends Error {
  constructor() {
    super(`${pendingMax} messages wait for Kafka: nothing more is taken`);
    this.name = 'ProducerFull';
  }
}

export interface ProducerOptions {
  /** CloudEvents source: the app. */
  source: string;
  /** Gives the timestamp of messages, in ms. Default: the time of this machine. */
  now?: () => number;
}

export type SendMeta = Omit<MessageMeta, 'source'>;

interface Waiting {
  topic: string;
  message: Message;
  bytes: number;
  done: () => void;
  failed: (error: unknown) => void;
}

const byTopic = (batch: readonly Waiting[]): TopicMessages[] => {
  const messages = new Map<string, Message[]>();
  for (const { topic, message } of batch) {
    const list = messages.get(topic);
    if (list) list.push(message);
    else messages.set(topic, [message]);
  }
  return [...messages].map(([topic, list]) => ({ topic, messages: list }));
};

/**
 * Sends what arrives while a request is under way in the next one, so that rate costs nothing in latency. One request
 * at a time: messages of one key stay in order. A send resolves when all in-sync replicas have it, and rejects when
 * it is not known whether they have: the caller repeats it, consumers are idempotent.
 */
export class KafkaProducer {
  private readonly producer: Producer;
  private waiting: Waiting[] = [];
  private inFlight = 0;
  private pumping: Promise<void> | undefined;

  constructor(
    private readonly connection: KafkaConnection,
    private readonly options: ProducerOptions,
  ) {
    this.producer = connection.kafka.producer({
      createPartitioner: keyPartitioner,
      allowAutoTopicCreation: false,
      maxInFlightRequests: 1,
    });
  }

  async connect(): Promise<void> {
    await this.producer.connect();
  }

  /** Sends what waits, then closes. */
  async disconnect(): Promise<void> {
    await this.pumping;
    await this.producer.disconnect();
  }

  /** Messages not yet acknowledged. */
  get pending(): number {
    return this.waiting.length + this.inFlight;
  }

  /** Rejects with InvalidMessage when the value does not fit the topic. */
  send<V>(topic: Topic<V>, value: NoInfer<V>, meta: SendMeta = {}): Promise<void> {
    const { source } = this.options;
    const { id, occurredAtMs, traceParent } = meta;
    try {
      return this.sendEncoded(topic, encodeMessage(topic, value, { source, id, occurredAtMs, traceParent }));
    } catch (error) {
      return Promise.reject(error);
    }
  }

  async sendTombstone<V>(topic: Topic<V>, key: string): Promise<void> {
    await this.sendEncoded(topic, encodeTombstone(topic, key, { source: this.options.source }));
  }

  /** For messages encoded earlier, for example in an outbox. */
  sendEncoded(topic: { name: string }, message: EncodedMessage): Promise<void> {
    if (this.connection.logger.isLevelEnabled('debug')) this.log(topic.name, message);
    return this.sendTo(this.connection.topicName(topic.name), message);
  }

  private log(topic: string, { key, headers }: EncodedMessage): void {
    logRequests(this.connection.logger, topic, 'fact sent', [{ key, headers: { get: (name) => headers[name] } }]);
  }

  /** To a topic by its name on the cluster. */
  sendTo(
    topic: string,
    { key, value, headers }: { key: string | null; value: Buffer | null; headers: Record<string, string> },
  ): Promise<void> {
    if (this.pending >= pendingMax) return Promise.reject(new ProducerFull());
    const timestamp = String((this.options.now ?? Date.now)());
    return new Promise((done, failed) => {
      const message = { key, value, headers, timestamp };
      this.waiting.push({ topic, message, bytes: value?.length ?? 0, done, failed });
      this.pumping ??= this.pump();
    });
  }

  private async pump(): Promise<void> {
    // Everything sent in this turn of the event loop goes along.
    await new Promise((resolve) => setImmediate(resolve));
    while (this.waiting.length > 0) await this.request(this.take());
    this.pumping = undefined;
  }

  private take(): Waiting[] {
    let bytes = 0;
    let count = 0;
    while (count < this.waiting.length && count < requestMessagesMax && (count === 0 || bytes < requestBytesMax))
      bytes += this.waiting[count++]?.bytes ?? 0;
    return this.waiting.splice(0, count);
  }

  private async request(batch: Waiting[]): Promise<void> {
    this.inFlight = batch.length;
    const started = performance.now();
    try {
      await this.producer.sendBatch({ topicMessages: byTopic(batch), acks: -1 });
      for (const { done } of batch) done();
      this.count(batch.length, 'ok', started);
    } catch (error) {
      for (const { failed } of batch) failed(error);
      this.count(batch.length, 'failed', started);
    } finally {
      this.inFlight = 0;
    }
  }

  private count(messages: number, outcome: string, started: number): void {
    const { metrics } = this.connection;
    metrics
      ?.counter({ name: 'lanyard_kafka_produced_total', help: 'Messages sent', labelNames: ['outcome'] })
      .inc({ outcome }, messages);
    metrics
      ?.histogram({
        name: 'lanyard_kafka_produce_seconds',
        help: 'Time of a produce request',
        buckets: [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.5, 1, 5, 30],
      })
      .observe((performance.now() - started) / 1000);
  }
}
