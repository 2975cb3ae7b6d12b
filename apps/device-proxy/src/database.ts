import { type DatabaseConfig, type DatabaseOptions, databaseOptions } from '@lanyard/service';
import { Command } from './commands/command.entity.js';
import { FirmwareReport } from './firmware/firmware-report.entity.js';
import { FirstContact } from './intake/first-contact.entity.js';
import { UploadedModel } from './models/uploaded-model.entity.js';
import { Presubscription } from './presubscriptions/presubscription.entity.js';
import { Subscription } from './interest/subscription.entity.js';
import { DownloadTickets1796256000000 } from './db/migrations/1796256000000-download-tickets.js';
import { UnfinishedCommands1796436000000 } from './db/migrations/1796436000000-unfinished-commands.js';
import { FirstContactsByTime1796544000000 } from './db/migrations/1796544000000-first-contacts-by-time.js';
import { NoResponse1796547600000 } from './db/migrations/1796547600000-no-response.js';
import { ObserveAttributes1796522400000 } from './db/migrations/1796522400000-observe-attributes.js';
import { FirstAttempts1796529600000 } from './db/migrations/1796529600000-first-attempts.js';
import { Initial1795392000000 } from './db/migrations/1795392000000-initial.js';

/** PostgreSQL schema of this service; no other service reads it. */
export const schema = 'device_proxy';

export const databaseOf = (config: DatabaseConfig): DatabaseOptions =>
  databaseOptions(config, {
    schema,
    entities: [Command, Subscription, Presubscription, FirstContact, UploadedModel, FirmwareReport],
    migrations: [
      Initial1795392000000,
      DownloadTickets1796256000000,
      UnfinishedCommands1796436000000,
      ObserveAttributes1796522400000,
      FirstAttempts1796529600000,
      FirstContactsByTime1796544000000,
      NoResponse1796547600000,
    ],
  });
