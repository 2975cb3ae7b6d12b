import { type DatabaseConfig, type DatabaseOptions, databaseOptions } from '@lanyard/service';
import { AccessKey } from './access-key.entity.js';
import { Account } from './account.entity.js';
import { ApiKey } from './api-key.entity.js';
import { Application } from './application.entity.js';
import { KeyGroup } from './key-group.entity.js';
import { Initial1795392000000 } from './migrations/1795392000000-initial.js';
import { Sessions1796342400000 } from './migrations/1796342400000-sessions.js';
import { ValueHistory1796428800000 } from './migrations/1796428800000-value-history.js';
import { Scopes1796432400000 } from './migrations/1796432400000-scopes.js';
import { Users1796436000000 } from './migrations/1796436000000-users.js';
import { Session } from './session.entity.js';
import { User } from './user.entity.js';

/** PostgreSQL schema of this service; no other service reads it. */
export const schema = 'access';

export const databaseOf = (config: DatabaseConfig): DatabaseOptions =>
  databaseOptions(config, {
    schema,
    entities: [Account, ApiKey, KeyGroup, Application, AccessKey, Session, User],
    migrations: [
      Initial1795392000000,
      Sessions1796342400000,
      ValueHistory1796428800000,
      Scopes1796432400000,
      Users1796436000000,
    ],
  });
