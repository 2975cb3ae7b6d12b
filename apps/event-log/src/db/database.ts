import { type DatabaseConfig, type DatabaseOptions, databaseOptions } from '@lanyard/service';
import { Initial1795392000000 } from './migrations/1795392000000-initial.js';
import { LeftGroups1796551200000 } from './migrations/1796551200000-left-groups.js';

/** PostgreSQL schema of this service; no other service reads it. */
const schema = 'event_log';

export const databaseOf = (config: DatabaseConfig): DatabaseOptions =>
  databaseOptions(config, { schema, entities: [], migrations: [Initial1795392000000, LeftGroups1796551200000] });
