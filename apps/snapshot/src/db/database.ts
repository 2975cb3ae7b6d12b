import { type DatabaseConfig, type DatabaseOptions, databaseOptions } from '@lanyard/service';
import { Initial1795392000000 } from './migrations/1795392000000-initial.js';
import { LostSubscriptions1796436000000 } from './migrations/1796436000000-lost-subscriptions.js';
import { Statistics1796432400000 } from './migrations/1796432400000-statistics.js';
import { ValueHistory1796428800000 } from './migrations/1796428800000-value-history.js';

/** PostgreSQL schema of this service; no other service reads it. */
const schema = 'snapshot';

export const databaseOf = (config: DatabaseConfig): DatabaseOptions =>
  databaseOptions(config, {
    schema,
    entities: [],
    migrations: [
      Initial1795392000000,
      ValueHistory1796428800000,
      Statistics1796432400000,
      LostSubscriptions1796436000000,
    ],
  });
