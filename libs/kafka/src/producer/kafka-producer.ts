import { encodeTombstone, type MessageMeta, type Topic, type WritableMessage, writeMessage } from '@lanyard/contracts';
import type { Producer, TopicMessages } from 'kafkajs';
import type { KafkaConnection } from '../connection/kafka-connection.js';
import { logRequests } from '../request-log.js';
import { Bundles } from '../kafkajs/bundles.js';
import { isReplaced } from '../kafkajs/switches.js';
import { PendingRequest } from './pending-request.js';
import { newTerm, type ProducerTerm } from '../kafkajs/producer-term.js';

/** More waiting messages than this mean that Kafka is down: callers are rejected, and stop their intake. */
const pendingMax = 100_000;

/**
 * A request with fewer messages than this does not delay the next one (`paceMs`). Such requests occur at low rates, at
 * which a delay would add latency, but hardly any messages to the next request.
 */
const manyMessages = 16;

/** Another producer of the same name may have taken over: waiting messages are not sent. */
export class ProducerFenced extends Error {
  constructor(name: string) {
    super(`The term of the producer ${name} has ended`);
    this.name = 'ProducerFenced';
  }
}

/** Kafka has been down for so long that the producer accepts no more messages. */
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
  /**
   * A request begins no sooner than this after one that carried many messages, so that more messages share its cost.
   * At a low rate, and after an idle time, a message does not wait. Default: 0.
   */
  paceMs?: number;
  /** The name for `takeOver`: of all producers with this name, only one can store messages. Without the installation's prefix. */
  name?: string;
}

export type SendMeta = Omit<MessageMeta, 'source'>;

/**
 * Messages that arrive during a request share the next one, so that throughput costs no latency. One request
 * at a time: messages of one key stay in order. A send resolves when all in-sync replicas have the message, and rejects when
 * that is not known: then the caller repeats it, and consumers are idempotent.
 */
export class KafkaProducer {
  private readonly producer: Producer;
  private readonly bundles = new Bundles();
  /** Requests after the running one; new messages are added to the last one. */
  private waiting: PendingRequest[] = [];
  private term: ProducerTerm | undefined;
  private unacknowledged = 0;
  /** When the last request of many messages began. */
  private manyBegunAtMs = -Infinity;
  private timeMs = NaN;
  private timeText = '';
  private pumping: Promise<void> | undefined;

  constructor(
    private readonly connection: KafkaConnection,
    private readonly options: ProducerOptions,
  ) {
    this.producer = connection.kafka.producer({
      createPartitioner: this.bundles.partitioner,
      allowAutoTopicCreation: false,
      maxInFlightRequests: 1,
    });
  }

  async connect(): Promise<void> {
    await this.connection.awaiting('a connection to send over', this.producer.connect());
  }

  /** Sends what waits, then closes. */
  async disconnect(): Promise<void> {
    await this.pumping;
    await this.producer.disconnect();
  }

  /**
   * Begins a new term (`ProducerTerm`). As soon as this producer has stored something in a partition in this term,
   * Kafka stores nothing more there from other producers of this name, even if it is already on its way; and it stores
   * each message of this producer once, in order. Messages that wait here are not sent: their senders get
   * ProducerFenced. Rejects when Kafka grants no term: then messages are sent as without a name.
   */
  async takeOver(): Promise<void> {
    const { name } = this.options;
    if (name === undefined) throw new Error('only a producer with a name takes over');
    if (!isReplaced('bundles')) throw new Error('messages have a place in a term only in bundles');
    for (const request of this.waiting.splice(0)) this.giveUp(request, new ProducerFenced(name));
    await this.pumping;
    this.term = undefined;
    this.term = await newTerm(this.connection.kafka, this.connection.topicName(name));
  }

  /** Messages not yet acknowledged. */
  get pending(): number {
    return this.unacknowledged;
  }

  /** Rejects with InvalidMessage when the value does not fit the topic. */
  send<V>(topic: Topic<V>, value: NoInfer<V>, meta: SendMeta = {}): Promise<void> {
    const { source } = this.options;
    const { id, occurredAtMs, traceParent } = meta;
    try {
      return this.sendEncoded(topic, writeMessage(topic, value, { source, id, occurredAtMs, traceParent }));
    } catch (error) {
      return Promise.reject(error);
    }
  }

  async sendTombstone<V>(topic: Topic<V>, key: string): Promise<void> {
    await this.sendEncoded(topic, encodeTombstone(topic, key, { source: this.options.source }));
  }

  /** For messages encoded earlier, for example in an outbox. */
  sendEncoded(topic: { name: string }, message: WritableMessage): Promise<void> {
    const { logger } = this.connection;
    if (logger.isLevelEnabled('debug')) {
      const { key, headers } = message;
      logRequests(logger, topic.name, 'fact sent', [{ key, headers: { get: (name) => headers[name] } }]);
    }
    return this.sendTo(this.connection.topicName(topic.name), message);
  }

  /** To a topic by its name on the cluster. */
  sendTo(topic: string, { key, value, headers }: Omit<WritableMessage, 'key'> & { key: string | null }): Promise<void> {
    if (this.pending >= pendingMax) return Promise.reject(new ProducerFull());
    const timestamp = this.timestamp();
    const request = this.requestWithRoomFor(value?.length ?? 0);
    request.add(topic, { key, value, headers, timestamp });
    this.unacknowledged++;
    this.pumping ??= this.pump();
    return request.stored;
  }

  /** Cached, because many messages are of the same millisecond. */
  private timestamp(): string {
    const nowMs = (this.options.now ?? Date.now)();
    if (nowMs !== this.timeMs) [this.timeMs, this.timeText] = [nowMs, String(nowMs)];
    return this.timeText;
  }

  private requestWithRoomFor(length: number): PendingRequest {
    const last = this.waiting.at(-1);
    if (last?.hasRoomFor(length)) return last;
    const request = new PendingRequest();
    this.waiting.push(request);
    return request;
  }

  private async pump(): Promise<void> {
    // Everything sent in this turn of the event loop goes along.
    await new Promise((resolve) => setImmediate(resolve));
    while (this.waiting.length > 0) {
      await this.pace();
      const next = this.waiting.shift();
      if (next) await this.request(next);
    }
    this.pumping = undefined;
  }

  /** More messages may arrive meanwhile, unless others wait in a request behind this one. */
  private async pace(): Promise<void> {
    const waitMs = this.manyBegunAtMs + (this.options.paceMs ?? 0) - performance.now();
    const mayGrow = this.waiting.length === 1 && !this.waiting[0]?.isFull;
    if (waitMs > 0 && mayGrow) await new Promise((resolve) => setTimeout(resolve, waitMs));
  }

  private async request(request: PendingRequest): Promise<void> {
    const started = performance.now();
    if (request.count >= manyMessages) this.manyBegunAtMs = started;
    const { term } = this;
    try {
      if (term) await this.learnPartitions(request.topics);
      const topicMessages = request.topicMessages((topic, messages) => this.bundles.bundle(topic, messages, term));
      await this.store(topicMessages);
      request.done();
      this.unacknowledged -= request.count;
      this.count(request.count, 'ok', started);
    } catch (error) {
      this.giveUp(request, error);
      this.count(request.count, 'failed', started);
    }
  }

  /** Each round stores some of them, or rejects. */
  private async store(topicMessages: TopicMessages[]): Promise<void> {
    for (let left = topicMessages; left.length > 0;) {
      const answers = await this.producer.sendBatch({ topicMessages: left, acks: -1 });
      if (answers.length === 0) throw new Error('Kafka has answered for no partition');
      left = this.bundles.leftOut(left, answers);
    }
  }

  private giveUp(request: PendingRequest, error: unknown): void {
    request.failed(error);
    this.unacknowledged -= request.count;
  }

  /** Only bundled messages get the sequence numbers of a term, and bundles need the number of partitions. */
  private async learnPartitions(topics: readonly string[]): Promise<void> {
    const { partitionCounts } = this.bundles;
    for (const topic of topics)
      if (!partitionCounts.has(topic)) partitionCounts.set(topic, await this.connection.partitionsOf(topic));
  }

  private count(messages: number, outcome: string, started: number): void {
    const { metrics } = this.connection;
    metrics
      ?.counter({ name: 'lanyard_kafka_produced_total', help: 'Messages sent to Kafka', labelNames: ['outcome'] })
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
