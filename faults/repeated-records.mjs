/** What Kafka has twice: a producer that did not learn whether its request was done sends it again. */
import { recordHeaders } from '@lanyard/kafka';

/**
 * Ids of the messages of `topics` that are in them more than once. Reads the topics from their start.
 * @param {import('@lanyard/kafka').KafkaConnection} connection @param {readonly string[]} topics @param {string} group
 */
export const repeatedIds = async (connection, topics, group) => {
  /** @type {Map<string, bigint>} */
  const left = new Map();
  for (const topic of topics)
    for (const [partition, { low, high }] of await connection.offsets(topic))
      if (BigInt(high) > BigInt(low)) left.set(`${connection.topicName(topic)}/${partition}`, BigInt(high));
  /** @type {Map<string, number>} */
  const seen = new Map();
  if (left.size > 0) await readAll(connection, topics, group, left, seen);
  return new Set([...seen].filter(([, times]) => times > 1).map(([id]) => id));
};

/**
 * @param {import('@lanyard/kafka').KafkaConnection} connection @param {readonly string[]} topics @param {string} group
 * @param {Map<string, bigint>} left where each partition ends @param {Map<string, number>} seen
 */
const readAll = async (connection, topics, group, left, seen) => {
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
        if (BigInt(batch.lastOffset()) + 1n >= (left.get(partition) ?? 0n)) left.delete(partition);
        if (left.size === 0) done(undefined);
      },
    });
  });
  await consumer.disconnect();
};
