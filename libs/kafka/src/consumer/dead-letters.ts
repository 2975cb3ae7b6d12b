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

/** Kafka's name for why it stored nothing. kafkajs gives up after a few attempts: the last error is the cause. */
const refusalOf = (error: unknown): string | undefined => {
  if (error instanceof KafkaJSProtocolError) return error.type;
  return error instanceof KafkaJSError ? refusalOf(error.cause) : undefined;
};

/** What is kept of a reason, in characters: that of an invalid message lists everything that is wrong with it. */
const reasonMax = 2_000;

/**
 * What is kept of a letter that is too large for Kafka: characters of its key, and bytes of its value. Headers that are
 * longer, as JSON, are left out. Kafka refuses the other letters of its request too, but most of these are smaller than
 * this, and are sent unchanged.
 */
const keptMax = 262_144;

const shortened = (letter: DeadLetter): DeadLetter => {
  const { key, value, headers, reason } = letter;
  const isCut = (value?.length ?? 0) > keptMax;
  return {
    ...letter,
    key: key?.slice(0, keptMax) ?? null,
    value: value?.subarray(0, keptMax) ?? null,
    headers: JSON.stringify(headers).length > keptMax ? {} : headers,
    reason: isCut ? `too large, this is its beginning: ${reason}` : reason,
  };
};

/**
 * Stores messages that a consumer group cannot process, in the dead-letter topic of the group and its topic. The
 * producer connects when there is a first letter.
 */
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
    await this.store(letter);
    const { partition, offset } = letter;
    const reason = letter.reason.slice(0, reasonMax);
    this.connection.logger.error({ topic: this.topicName, partition, offset: String(offset), reason }, 'dead letter');
    this.connection.metrics
      ?.counter({
        name: 'lanyard_kafka_dead_letters_total',
        help: 'Messages that can never be processed, moved to a dead-letter topic',
        labelNames: ['topic', 'group'],
      })
      .inc({ topic: this.topicName, group: this.group });
  }

  async close(): Promise<void> {
    if (this.connected) await this.producer.disconnect();
  }

  private async store(letter: DeadLetter): Promise<void> {
    try {
      await this.send(letter);
    } catch (error) {
      const refusal = refusalOf(error);
      if (refusal === 'MESSAGE_TOO_LARGE') return this.send(shortened(letter));
      if (refusal !== 'UNKNOWN_TOPIC_OR_PARTITION') throw error;
      // It was deleted, perhaps by an operator who had read its letters.
      await this.open();
      await this.send(letter);
    }
  }

  private send({ key, value, headers, reason, partition, offset }: DeadLetter): Promise<void> {
    return this.producer.sendTo(this.target, {
      key,
      value,
      headers: {
        ...headers,
        [deadLetterHeaders.reason]: reason.slice(0, reasonMax),
        [deadLetterHeaders.topic]: this.topicName,
        [deadLetterHeaders.partition]: String(partition),
        [deadLetterHeaders.offset]: String(offset),
        [deadLetterHeaders.group]: this.group,
        [deadLetterHeaders.at]: new Date().toISOString(),
      },
    });
  }
}
