import { outboxMigration } from '@lanyard/kafka';
import type { DatabaseConfig, DatabaseOptions } from '@lanyard/service';
import { AccessKey } from './access-key.entity.js';
import { Account } from './account.entity.js';
import { ApiKey } from './api-key.entity.js';
import { Application } from './application.entity.js';
import { KeyGroup } from './key-group.entity.js';
import { Access1732147200000 } from './migrations/1732147200000-access.js';
import { Applications1764000000000 } from './migrations/1764000000000-applications.js';
import { PresubscriptionsNoContent1764700000000 } from './migrations/1764700000000-presubscriptions-no-content.js';
import { Tenants1763800000000 } from './migrations/1763800000000-tenants.js';

/** PostgreSQL schema of this service; no other service reads it. */
export const schema = 'access';

export const databaseOf = (config: DatabaseConfig): DatabaseOptions => ({
  url: config.secrets.databaseUrl,
  schema,
  entities: [Account, ApiKey, KeyGroup, Application, AccessKey],
  migrations: [
    outboxMigration(schema),
    Access1732147200000,
    Tenants1763800000000,
    Applications1764000000000,
    PresubscriptionsNoContent1764700000000,
  ],
  applicationName: config.replicaId,
  ...(config.databaseMigrations && { migrate: config.databaseMigrations }),
});
