import type { ICustomPartitioner, Message, RecordMetadata, TopicMessages } from 'kafkajs';
import { keyPartitioner, partitionOf } from './partitioner.js';
import type { ProducerStamp, ProducerTerm } from './producer-term.js';
import { isReplaced } from './switches.js';

interface Bundle extends Message {
  bundled: readonly Message[];
  /** The stamp stays the same when kafkajs sends the bundle again. */
  stamp?: ProducerStamp;
}

const isBundle = (message: Message): message is Bundle => 'bundled' in message;

/** The messages themselves, in order. */
export const unbundled = (messages: readonly Message[]): readonly Message[] => {
  const [first] = messages;
  if (first && messages.length === 1 && isBundle(first)) return first.bundled;
  return messages.flatMap((message) => (isBundle(message) ? message.bundled : message));
};

export const stampOf = ([first, ...others]: readonly Message[]): ProducerStamp | undefined =>
  first && others.length === 0 && isBundle(first) ? first.stamp : undefined;

/**
 * For each message kafkajs copies the list of those that go to the same partition. So it is given one message for each partition
 * that bundles all of them, which `produce-request.ts` takes apart. kafkajs says how many partitions a topic has when it asks
 * where a message goes; until then messages are not bundled.
 */
export class Bundles {
  /** By topic, as far as they are known. */
  readonly partitionCounts = new Map<string, number>();
  /** The partitions that were chosen for messages that are not bundled. */
  private readonly chosenPartitions = new WeakMap<Message, number>();

  readonly partitioner: ICustomPartitioner = () => {
    const partition = keyPartitioner();
    return (about) => {
      const { topic, message, partitionMetadata } = about;
      this.partitionCounts.set(topic, partitionMetadata.length);
      // kafkajs omits messages of an unknown partition, and reports that they were stored.
      if (message.partition !== undefined && message.partition >= partitionMetadata.length)
        throw new Error(`${topic} has no partition ${message.partition} any more`);
      // kafkajs asks again when it sends again.
      const chosen = this.partitionOfMessage(message) ?? partition(about);
      this.chosenPartitions.set(message, chosen);
      return chosen;
    };
  };

  /** Messages without a key stay as they are. */
  bundle(topic: string, messages: readonly Message[], term?: ProducerTerm): Message[] {
    const partitions = this.partitionCounts.get(topic);
    if (partitions === undefined || !isReplaced('bundles')) return [...messages];
    const others: Message[] = [];
    const lists: Message[][] = Array.from({ length: partitions }, () => []);
    for (const message of messages)
      (typeof message.key === 'string' ? lists[partitionOf(message.key, partitions)] : others)?.push(message);
    return lists.reduce<Message[]>((all, bundled, partition) => {
      if (bundled.length === 0) return all;
      const stamp = term?.stamp(topic, partition, bundled.length);
      all.push({ key: null, value: null, partition, bundled, stamp } as Bundle);
      return all;
    }, others);
  }

  /**
   * Messages for partitions that no broker has answered for. kafkajs sends again after a partition has changed its leader, but
   * not to a broker that has answered for others: it omits these messages, but reports all as stored (kafkajs pull
   * request 1798).
   */
  leftOut(sent: readonly TopicMessages[], answers: readonly RecordMetadata[]): TopicMessages[] {
    const stored = new Set(answers.map(({ topicName, partition }) => `${topicName}/${partition}`));
    return sent.flatMap(({ topic, messages }) => {
      const missing = messages.filter((message) => !stored.has(`${topic}/${this.partitionOfMessage(message)}`));
      return missing.length > 0 ? [{ topic, messages: missing }] : [];
    });
  }

  private partitionOfMessage(message: Message): number | undefined {
    return message.partition ?? this.chosenPartitions.get(message);
  }
}
