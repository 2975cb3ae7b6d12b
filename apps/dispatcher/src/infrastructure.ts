import { KafkaModule, OutboxModule } from '@lanyard/kafka';
import { DatabaseModule } from '@lanyard/service';
import { app } from './config.js';
import { databaseOf, schema } from './db/database.js';

/** PostgreSQL and Kafka. Redis is in the module of the queues. */
export const infrastructure = [
  DatabaseModule.forRoot(databaseOf),
  KafkaModule.forRoot({ app, isReadinessCheck: true }),
  OutboxModule.forRoot(schema, app),
];
