import { KafkaConnection } from '@lanyard/kafka';
import { createLogger } from '@lanyard/service';

/** Deletes the topics whose names begin with `prefix`. Each remaining topic makes Kafka slower for later tests. */
export const deleteTopics = async (brokers: string[], prefix = '') => {
  const logger = createLogger({ app: 'test', replicaId: 'test', level: 'silent' });
  const admin = new KafkaConnection({ brokers, clientId: 'test', logger }).kafka.admin();
  await admin.connect();
  try {
    const topics = (await admin.listTopics()).filter((name) => name.startsWith(prefix) && !name.startsWith('__'));
    if (topics.length > 0) await admin.deleteTopics({ topics });
  } finally {
    await admin.disconnect();
  }
};
