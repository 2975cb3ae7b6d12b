import type { EntitySchema, MixedList } from 'typeorm';
import { DataSource } from 'typeorm';
import pg from 'pg';
import { reached } from '../lifecycle/engine-away.js';
import { awaiting, awaitingMigrations } from '../lifecycle/start-deadline.js';

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
  /** `wait`: another process migrates (`migrateDatabase`), and opening waits for it. Default: run. */
  migrate?: 'run' | 'wait';
}

/** To be reached and to have logged in. */
const connectTimeoutMs = 5_000;

const hostOf = (url: string): string => (URL.canParse(url) ? new URL(url).host : 'DATABASE_URL');

/** Replicas start at the same moment: one migrates, the others wait. */
const migrationLock = 0x1a47;

const lookAgainMs = 500;

/** Polled without a running statement, so that a server that stops answering is detected. */
const anotherLook = (): Promise<void> => awaitingMigrations(new Promise((resolve) => setTimeout(resolve, lookAgainMs)));

const lock = async (client: pg.Client, schema: string): Promise<void> => {
  for (;;) {
    const { rows } = await client.query<{ locked: boolean }>(
      'SELECT pg_try_advisory_lock($1, hashtext($2)) AS locked',
      [migrationLock, schema],
    );
    if (rows[0]?.locked) return;
    await anotherLook();
  }
};

const migrate = async (dataSource: DataSource, { url, schema }: DatabaseOptions): Promise<string[]> => {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: connectTimeoutMs });
  client.on('error', () => undefined);
  await reached('PostgreSQL', hostOf(url), client.connect());
  try {
    await lock(client, schema);
    await client.query(`CREATE SCHEMA IF NOT EXISTS ${client.escapeIdentifier(schema)}`);
    await dataSource.initialize();
    if (!(await dataSource.showMigrations())) return [];
    return (await awaitingMigrations(dataSource.runMigrations({ transaction: 'each' }))).map(({ name }) => name);
  } finally {
    await client.end();
  }
};

const waitForMigrationsMs = 600_000;

const noSuchSchemaOrTable = ['3F000', '42P01'];

/** Names of migrations that have not run. */
const pending = async (dataSource: DataSource, schema: string): Promise<string[]> => {
  const names = dataSource.migrations.map((migration) => migration.name ?? migration.constructor.name);
  try {
    const rows = (await dataSource.query(`SELECT name FROM ${pg.escapeIdentifier(schema)}.migrations`)) as {
      name: string;
    }[];
    const done = new Set(rows.map((row) => row.name));
    return names.filter((name) => !done.has(name));
  } catch (error) {
    if (noSuchSchemaOrTable.includes(String((error as { code?: unknown }).code))) return names;
    throw error;
  }
};

const waitUntilMigrated = async (dataSource: DataSource, { url, schema }: DatabaseOptions): Promise<void> => {
  await reached('PostgreSQL', hostOf(url), dataSource.initialize());
  for (const end = Date.now() + waitForMigrationsMs; ;) {
    const left = await pending(dataSource, schema);
    if (left.length === 0) return;
    if (Date.now() > end) throw new Error(`${schema} is still waiting for migrations: ${left.join(', ')}`);
    await anotherLook();
  }
};

/** PostgreSQL cancels a statement that takes longer. Callers of lists and the like get QueryTimedOut. */
export const statementMaxMs = 30_000;

/** A transaction of a suspended process or of a lost machine keeps its locks no longer than this. */
const transactionSilenceMaxMs = 30_000;

const dataSourceOf = (options: DatabaseOptions): DataSource =>
  new DataSource({
    type: 'postgres',
    url: options.url,
    schema: options.schema,
    entities: options.entities,
    migrations: options.migrations,
    applicationName: options.applicationName,
    poolSize: options.poolSize ?? 10,
    installExtensions: false,
    connectTimeoutMS: connectTimeoutMs,
    extra: {
      statement_timeout: statementMaxMs,
      idle_in_transaction_session_timeout: transactionSilenceMaxMs,
      options: `-c search_path=${options.schema}`,
    },
  });

/**
 * Connects, creates the schema and runs the migrations, or waits until they have run. Entities and migrations are
 * listed, never globbed.
 */
export const openDatabase = async (options: DatabaseOptions): Promise<DataSource> => {
  const dataSource = dataSourceOf(options);
  try {
    const opening = options.migrate === 'wait' ? waitUntilMigrated(dataSource, options) : migrate(dataSource, options);
    await awaiting<unknown>(`PostgreSQL at ${hostOf(options.url)}: schema ${options.schema}`, opening);
    return dataSource;
  } catch (error) {
    if (dataSource.isInitialized) await dataSource.destroy();
    throw error;
  }
};

/** Only migrates. Gives the names of what ran. */
export const migrateDatabase = async (options: DatabaseOptions): Promise<string[]> => {
  const dataSource = dataSourceOf(options);
  try {
    return await migrate(dataSource, options);
  } finally {
    if (dataSource.isInitialized) await dataSource.destroy();
  }
};
