import type { EntitySchema, MixedList } from 'typeorm';
import { DataSource } from 'typeorm';
import pg from 'pg';

export interface DatabaseOptions {
  url: string;
  /** The service's own schema; created when it is not there. */
  schema: string;
  // eslint-disable-next-line @typescript-eslint/no-unsafe-function-type -- TypeORM's own type for classes
  entities: MixedList<Function | EntitySchema>;
  // eslint-disable-next-line @typescript-eslint/no-unsafe-function-type -- TypeORM's own type for classes
  migrations: MixedList<Function>;
  applicationName: string;
  poolSize?: number;
}

/** Replicas start at the same moment: one migrates, the others wait. */
const migrationLock = 0x1a47;

const migrate = async (dataSource: DataSource, { url, schema }: DatabaseOptions): Promise<void> => {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query('SELECT pg_advisory_lock($1, hashtext($2))', [migrationLock, schema]);
    await client.query(`CREATE SCHEMA IF NOT EXISTS ${client.escapeIdentifier(schema)}`);
    await dataSource.initialize();
    await dataSource.runMigrations({ transaction: 'each' });
  } finally {
    await client.end();
  }
};

/** Connects, creates the schema and runs the migrations. Entities and migrations are listed, never globbed. */
export const openDatabase = async (options: DatabaseOptions): Promise<DataSource> => {
  const dataSource = new DataSource({
    type: 'postgres',
    url: options.url,
    schema: options.schema,
    entities: options.entities,
    migrations: options.migrations,
    applicationName: options.applicationName,
    poolSize: options.poolSize ?? 10,
    installExtensions: false,
    connectTimeoutMS: 5_000,
    extra: { statement_timeout: 30_000, options: `-c search_path=${options.schema}` },
  });
  await migrate(dataSource, options);
  return dataSource;
};
