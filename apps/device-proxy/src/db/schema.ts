import { outboxMigration } from '@lanyard/kafka';
import { Command } from '../commands/command.entity.js';
import { FirstContact } from '../intake/first-contact.entity.js';
import { UploadedModel } from '../models/uploaded-model.entity.js';
import { Presubscription } from '../presubscriptions/presubscription.entity.js';
import { Subscription } from '../subscriptions/subscription.entity.js';
import { Initial1700000000001 } from './migrations/1700000000001-initial.js';
import { ModelsAndAttempts1700000000002 } from './migrations/1700000000002-models-and-attempts.js';
import { CommandsOfADevice1700000000010 } from './migrations/1700000000010-commands-of-a-device.js';
import { TraceOfACommand1700000000011 } from './migrations/1700000000011-trace-of-a-command.js';

/** PostgreSQL schema of this service; nobody else reads it. */
export const schemaName = 'device_proxy';

export const entities = [Command, Subscription, Presubscription, FirstContact, UploadedModel];

export const migrations = [
  Initial1700000000001,
  outboxMigration(schemaName),
  ModelsAndAttempts1700000000002,
  CommandsOfADevice1700000000010,
  TraceOfACommand1700000000011,
];
