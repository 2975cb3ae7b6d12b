import { type DatabaseConfig, databaseConfig } from '../config/common.js';
import { env } from '../config/env.js';
import { createLogger } from '../telemetry/logger.js';
import { type DatabaseOptions, migrateDatabase } from './open-database.js';

/** The command `migrate` of an app: migrates, logs what ran, and exits. Needs only PostgreSQL and its variables. */
export const migrateCommand = (app: string, databaseOf: (config: DatabaseConfig) => DatabaseOptions) => async () => {
  const config = databaseConfig(env(), app);
  const logger = createLogger({ app, replicaId: config.replicaId, level: config.logLevel });
  const options = databaseOf(config);
  const migrations = await migrateDatabase(options);
  logger.info({ schema: options.schema, migrations }, 'migrated');
};
