import type { DatabaseConfig, DatabaseOptions } from '@lanyard/service';
import { Snapshot1732147200000 } from './migrations/1732147200000-snapshot.js';
import { Lifecycle1764100000000 } from './migrations/1764100000000-lifecycle.js';
import { MeasuredValues1764200000000 } from './migrations/1764200000000-measured-values.js';
import { ObjectVersions1764300000000 } from './migrations/1764300000000-object-versions.js';

/** PostgreSQL schema of this service; no other service reads it. */
const schema = 'snapshot';

export const databaseOf = (config: DatabaseConfig): DatabaseOptions => ({
  url: config.secrets.databaseUrl,
  schema,
  entities: [],
  migrations: [Snapshot1732147200000, Lifecycle1764100000000, MeasuredValues1764200000000, ObjectVersions1764300000000],
  applicationName: config.replicaId,
  ...(config.databaseMigrations && { migrate: config.databaseMigrations }),
});
