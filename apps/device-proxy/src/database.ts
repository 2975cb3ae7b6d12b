import { outboxMigration } from '@lanyard/kafka';
import type { DatabaseConfig, DatabaseOptions } from '@lanyard/service';
import { Command } from './commands/command.entity.js';
import { FirstContact } from './intake/first-contact.entity.js';
import { UploadedModel } from './models/uploaded-model.entity.js';
import { Presubscription } from './presubscriptions/presubscription.entity.js';
import { Subscription } from './interest/subscription.entity.js';
import { Initial1700000000001 } from './db/migrations/1700000000001-initial.js';
import { ModelsAndAttempts1700000000002 } from './db/migrations/1700000000002-models-and-attempts.js';
import { CommandsByCorrelation1700000000014 } from './db/migrations/1700000000014-commands-by-correlation.js';
import { CommandsOfADevice1700000000010 } from './db/migrations/1700000000010-commands-of-a-device.js';
import { ObservedTogether1700000000012 } from './db/migrations/1700000000012-observed-together.js';
import { RequestOfACommand1700000000013 } from './db/migrations/1700000000013-request-of-a-command.js';
import { SubscriptionsOfAnAccount1700000000015 } from './db/migrations/1700000000015-subscriptions-of-an-account.js';
import { VersionsOfModels1700000000016 } from './db/migrations/1700000000016-versions-of-models.js';
import { TraceOfACommand1700000000011 } from './db/migrations/1700000000011-trace-of-a-command.js';

/** PostgreSQL schema of this service; no other service reads it. */
export const schema = 'device_proxy';

const entities = [Command, Subscription, Presubscription, FirstContact, UploadedModel];

const migrations = [
  Initial1700000000001,
  outboxMigration(schema),
  ModelsAndAttempts1700000000002,
  CommandsOfADevice1700000000010,
  TraceOfACommand1700000000011,
  ObservedTogether1700000000012,
  RequestOfACommand1700000000013,
  CommandsByCorrelation1700000000014,
  SubscriptionsOfAnAccount1700000000015,
  VersionsOfModels1700000000016,
];

export const databaseOf = (config: DatabaseConfig): DatabaseOptions => ({
  url: config.secrets.databaseUrl,
  schema,
  entities,
  migrations,
  applicationName: config.replicaId,
  ...(config.databaseMigrations && { migrate: config.databaseMigrations }),
});
