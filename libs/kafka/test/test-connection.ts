import { createLogger } from '@lanyard/service';
import { infrastructure, type Isolation } from '@lanyard/testing';
import { KafkaConnection } from '../src/index.js';

const logger = createLogger({ app: 'test', replicaId: 'test', level: 'silent' });

/** A connection whose topics are those of the test alone. */
export const testConnection = ({ topicPrefix }: Isolation, partitions: number): KafkaConnection =>
  new KafkaConnection({ brokers: infrastructure().brokers, clientId: 'test', topicPrefix, partitions, logger });
