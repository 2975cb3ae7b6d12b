import { AccessKeys, ChannelsDrops, ChannelsState, DeviceEvents, DeviceGroups } from '@lanyard/contracts';
import { KafkaModule, OutboxModule } from '@lanyard/kafka';
import { DatabaseModule } from '@lanyard/service';
import { app } from './config.js';
import { databaseOf, schema } from './db/database.js';
import { sources } from './intake/sources.js';

const topics = [...sources, AccessKeys, ChannelsState, ChannelsDrops, DeviceEvents, DeviceGroups];

/** PostgreSQL and Kafka. Redis is in the module of the queues. */
export const infrastructure = [
  DatabaseModule.forRoot(databaseOf),
  KafkaModule.forRoot({ group: app, topics, isReadinessCheck: true }),
  OutboxModule.forRoot(schema, app),
];
