/** Messages that are twice in Kafka: a producer that does not learn the result of its request sends it again. */
import { recordHeaders, type KafkaConnection } from '@lanyard/kafka';

/** Ids of the messages that are in `topics` more than once. Reads the topics from their start. */
export const repeatedIds = async (connection: KafkaConnection, topics: readonly string[], group: string) => {
  const unread = new Map<string, bigint>();
  for (const topic of topics)
    for (const [partition, { low, high }] of await connection.offsets(topic))
      if (BigInt(high) > BigInt(low)) unread.set(`${connection.topicName(topic)}/${partition}`, BigInt(high));
  const seen = new Map<string, number>();
  if (unread.size > 0) await readAll(connection, topics, group, unread, seen);
  return new Set([...seen].filter(([, times]) => times > 1).map(([id]) => id));
};

/**
 * @param unread end offsets of the partitions that have not been read completely
 * @param seen how often each id was read
 */
const readAll = async (
  connection: KafkaConnection,
  topics: readonly string[],
  group: string,
  unread: Map<string, bigint>,
  seen: Map<string, number>,
) => {
  const consumer = connection.kafka.consumer({ groupId: group, maxWaitTimeInMs: 100 });
  await consumer.connect();
  await consumer.subscribe({ topics: topics.map((topic) => connection.topicName(topic)), fromBeginning: true });
  await new Promise((done) => {
    void consumer.run({
      autoCommit: false,
      eachBatch: async ({ batch }) => {
        for (const message of batch.messages) {
          const id = recordHeaders(message).get('ce_id') ?? '';
          seen.set(id, (seen.get(id) ?? 0) + 1);
        }
        const partition = `${batch.topic}/${batch.partition}`;
        if (BigInt(batch.lastOffset()) + 1n >= (unread.get(partition) ?? 0n)) unread.delete(partition);
        if (unread.size === 0) done(undefined);
      },
    });
  });
  await consumer.disconnect();
};
