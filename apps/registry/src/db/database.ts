import { outboxMigration } from '@lanyard/kafka';
import type { DatabaseConfig, DatabaseOptions } from '@lanyard/service';
import { Registry1732147200000 } from './migrations/1732147200000-registry.js';
import { Credentials1763700000000 } from './migrations/1763700000000-credentials.js';
import { AccountStandings1764100000000 } from './migrations/1764100000000-account-standings.js';
import { Bulk1763900000000 } from './migrations/1763900000000-bulk.js';
import { DeviceNames1764300000000 } from './migrations/1764300000000-device-names.js';
import { GroupChanges1764200000000 } from './migrations/1764200000000-group-changes.js';
import { ImportTurns1764400000000 } from './migrations/1764400000000-import-turns.js';
import { RequestOfAnImport1764200000001 } from './migrations/1764200000001-request-of-an-import.js';
import { CompletedImports1764400000001 } from './migrations/1764400000001-completed-imports.js';
import { DevicesOfSuspendedAccounts1764500000000 } from './migrations/1764500000000-devices-of-suspended-accounts.js';
import { TrustedStatus1764600000000 } from './migrations/1764600000000-trusted-status.js';
import { RevokedSerials1764010000000 } from './migrations/1764010000000-revoked-serials.js';

/** PostgreSQL schema of this service; no other service reads it. */
export const schema = 'registry';

export const databaseOf = (config: DatabaseConfig): DatabaseOptions => ({
  url: config.secrets.databaseUrl,
  schema,
  entities: [],
  migrations: [
    outboxMigration(schema),
    Registry1732147200000,
    Credentials1763700000000,
    Bulk1763900000000,
    RevokedSerials1764010000000,
    AccountStandings1764100000000,
    GroupChanges1764200000000,
    RequestOfAnImport1764200000001,
    DeviceNames1764300000000,
    ImportTurns1764400000000,
    CompletedImports1764400000001,
    DevicesOfSuspendedAccounts1764500000000,
    TrustedStatus1764600000000,
  ],
  applicationName: config.replicaId,
  ...(config.databaseMigrations && { migrate: config.databaseMigrations }),
});
