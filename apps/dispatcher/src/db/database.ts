import { type DatabaseConfig, type DatabaseOptions, databaseOptions } from '@lanyard/service';
import { Channel } from './channel.entity.js';
import { DropReport } from './drop-report.entity.js';
import { Initial1795392000000 } from './migrations/1795392000000-initial.js';
import { ChannelsByAccount1796439600000 } from './migrations/1796439600000-channels-by-account.js';

/** PostgreSQL schema of this service; no other service reads it. */
export const schema = 'dispatcher';

export const databaseOf = (config: DatabaseConfig): DatabaseOptions =>
  databaseOptions(config, {
    schema,
    entities: [Channel, DropReport],
    migrations: [Initial1795392000000, ChannelsByAccount1796439600000],
  });
