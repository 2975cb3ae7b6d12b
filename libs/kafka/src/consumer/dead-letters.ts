import type { Headers } from '@lanyard/contracts';
import kafkajs from 'kafkajs';
import type { KafkaConnection } from '../connection/kafka-connection.js';
import { KafkaProducer } from '../producer/kafka-producer.js';

// Not everything of this CommonJS package is a named export to an ES module.
const { KafkaJSError, KafkaJSProtocolError } = kafkajs;

export interface DeadLetter {
  key: string | null;
  value: Buffer | null;
  headers: Headers;
  partition: number;
  offset: bigint;
  reason: string;
}

/** Headers of a dead letter beside those of the source message. */
export const deadLetterHeaders = {
  reason: 'dlq_reason',
  topic: 'dlq_topic',
  partition: 'dlq_partition',
  offset: 'dlq_offset',
  group: 'dlq_group',
  at: 'dlq_at',
} as const;

/** kafkajs gives up after a few attempts: the last error is the cause. */
const isTopicMissing = (error: unknown): boolean =>
  error instanceof KafkaJSProtocolError
    ? error.type === 'UNKNOWN_TOPIC_OR_PARTITION'
    : error instanceof KafkaJSError && isTopicMissing(error.cause);

export class DeadLetters {
  private readonly producer: KafkaProducer;
  private target = '';
  private connected: Promise<void> | undefined;

  constructor(
    private readonly connection: KafkaConnection,
    private readonly topicName: string,
    private readonly group: string,
  ) {
    this.producer = new KafkaProducer(connection, { source: group });
  }

  async open(): Promise<void> {
    this.target = await this.connection.ensureDeadLetters(this.topicName, this.group);
  }

  /** Resolves when the letter is stored: only then may its offset be passed. */
  async put(letter: DeadLetter): Promise<void> {
    this.connected ??= this.producer.connect();
    this.connected.catch(() => (this.connected = undefined));
    await this.connected;
    await this.send({
      key: letter.key,
      value: letter.value,
      headers: {
        ...letter.headers,
        [deadLetterHeaders.reason]: letter.reason.slice(0, 2_000),
        [deadLetterHeaders.topic]: this.topicName,
        [deadLetterHeaders.partition]: String(letter.partition),
        [deadLetterHeaders.offset]: String(letter.offset),
        [deadLetterHeaders.group]: this.group,
        [deadLetterHeaders.at]: new Date().toISOString(),
      },
    });
    this.connection.logger.error(
      { topic: this.topicName, partition: letter.partition, offset: String(letter.offset), reason: letter.reason },
      'dead letter',
    );
    this.connection.metrics
      ?.counter({
        name: 'lanyard_kafka_dead_letters_total',
        help: 'Messages that could not be processed',
        labelNames: ['topic', 'group'],
      })
      .inc({ topic: this.topicName, group: this.group });
  }

  async close(): Promise<void> {
    if (this.connected) await this.producer.disconnect();
  }

  private async send(message: Parameters<KafkaProducer['sendTo']>[1]): Promise<void> {
    try {
      await this.producer.sendTo(this.target, message);
    } catch (error) {
      if (!isTopicMissing(error)) throw error;
      // It was deleted, perhaps by an operator who had read its letters.
      await this.open();
      await this.producer.sendTo(this.target, message);
    }
  }
}
