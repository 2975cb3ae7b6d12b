import { outboxMigration } from '@lanyard/kafka';
import { Command } from '../commands/command.entity.js';
import { FirstContact } from '../intake/first-contact.entity.js';
import { Presubscription } from '../presubscriptions/presubscription.entity.js';
import { Subscription } from '../subscriptions/subscription.entity.js';
import { Initial1700000000001 } from './migrations/1700000000001-initial.js';

/** PostgreSQL schema of this service; nobody else reads it. */
export const schemaName = 'device_proxy';

export const entities = [Command, Subscription, Presubscription, FirstContact];

export const migrations = [Initial1700000000001, outboxMigration(schemaName)];
