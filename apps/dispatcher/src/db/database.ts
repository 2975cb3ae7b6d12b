import { outboxMigration } from '@lanyard/kafka';
import type { DatabaseConfig, DatabaseOptions } from '@lanyard/service';
import { Channel } from './channel.entity.js';
import { Channels1732150800000 } from './migrations/1732150800000-channels.js';
import { DropReports1732237200000 } from './migrations/1732237200000-drop-reports.js';
import { ChannelStanding1732323600000 } from './migrations/1732323600000-channel-standing.js';

/** PostgreSQL schema of this service; no other service reads it. */
export const schema = 'dispatcher';

export const databaseOf = (config: DatabaseConfig): DatabaseOptions => ({
  url: config.secrets.databaseUrl,
  schema,
  entities: [Channel],
  migrations: [outboxMigration(schema), Channels1732150800000, DropReports1732237200000, ChannelStanding1732323600000],
  applicationName: config.replicaId,
  ...(config.databaseMigrations && { migrate: config.databaseMigrations }),
});
