import type { DatabaseConfig, DatabaseOptions } from '@lanyard/service';
import { DeviceEvents1732147200000 } from './migrations/1732147200000-device-events.js';
import { Positions1764100000000 } from './migrations/1764100000000-positions.js';
import { Memberships1764200000000 } from './migrations/1764200000000-memberships.js';

/** PostgreSQL schema of this service; no other service reads it. */
const schema = 'event_log';

export const databaseOf = (config: DatabaseConfig): DatabaseOptions => ({
  url: config.secrets.databaseUrl,
  schema,
  entities: [],
  migrations: [DeviceEvents1732147200000, Positions1764100000000, Memberships1764200000000],
  applicationName: config.replicaId,
  ...(config.databaseMigrations && { migrate: config.databaseMigrations }),
});
