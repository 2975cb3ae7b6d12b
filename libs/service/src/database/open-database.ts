import { setTimeout as sleep } from 'node:timers/promises';
import type { EntitySchema, MixedList } from 'typeorm';
import { DataSource } from 'typeorm';
import pg from 'pg';
import type { DatabaseConfig } from '../config/common.js';
import { reached } from '../lifecycle/infrastructure-unavailable.js';
import { awaiting, awaitingMigrations } from '../lifecycle/start-deadline.js';
import { pgOf } from './pool.js';

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

/** The options of a service: those of its configuration, and its own. */
export const databaseOptions = (
  { secrets, replicaId, databaseMigrations }: DatabaseConfig,
  own: Pick<DatabaseOptions, 'schema' | 'entities' | 'migrations'>,
): DatabaseOptions => ({
  ...own,
  url: secrets.databaseUrl,
  applicationName: replicaId,
  ...(databaseMigrations && { migrate: databaseMigrations }),
});

/** Limit for connecting and logging in. */
const connectTimeoutMs = 5_000;

const hostOf = (url: string): string => (URL.canParse(url) ? new URL(url).host : 'DATABASE_URL');

/**
 * First key of the advisory lock for migrations; the second is a hash of the schema. Replicas start at the same time:
 * one of them migrates, and the others wait.
 */
const migrationLock = 0x1a47;

const pollMs = 500;

/** The wait before the next poll. No statement runs meanwhile, so that a server that stops answering is detected. */
const nextPoll = (): Promise<void> => awaitingMigrations(sleep(pollMs));

const lock = async (client: pg.Client, schema: string): Promise<void> => {
  for (;;) {
    const { rows } = await client.query<{ locked: boolean }>(
      'SELECT pg_try_advisory_lock($1, hashtext($2)) AS locked',
      [migrationLock, schema],
    );
    if (rows[0]?.locked) return;
    await nextPoll();
  }
};

/** Aborts the start. The message tells operators what to do. */
export class SchemaNotUpgradable extends Error {
  constructor(schema: string) {
    super(
      `The PostgreSQL schema ${schema} is of an older version that cannot be upgraded to this one, and neither can its ` +
        'backups: start with an empty database (with `npm start`: delete the data folder, .lanyard).',
    );
    this.name = 'SchemaNotUpgradable';
  }
}

const noSuchSchemaOrTable = ['3F000', '42P01'];

const applied = async (dataSource: DataSource, schema: string): Promise<string[]> => {
  try {
    const sql = `SELECT name FROM ${pg.escapeIdentifier(schema)}.migrations`;
    const rows = (await dataSource.query(sql)) as { name: string }[];
    return rows.map(({ name }) => name);
  } catch (error) {
    if (noSuchSchemaOrTable.includes(String((error as { code?: unknown }).code))) return [];
    throw error;
  }
};

/** Names of migrations that have not run. Throws SchemaNotUpgradable where others ran before the first of this version. */
const pending = async (dataSource: DataSource, schema: string): Promise<string[]> => {
  const names = dataSource.migrations.map((migration) => migration.name ?? migration.constructor.name);
  const ran = new Set(await applied(dataSource, schema));
  const left = names.filter((name) => !ran.has(name));
  if (ran.size > 0 && left.length > 0 && left[0] === names[0]) throw new SchemaNotUpgradable(schema);
  return left;
};

/** PostgreSQL cancels a statement that takes longer. Callers of lists and the like get QueryTimedOut. */
export const statementMaxMs = 30_000;

/** A transaction of a suspended process or of a lost machine keeps its locks no longer than this. */
const transactionSilenceMaxMs = 30_000;

/**
 * After a connection has been silent for this long, the kernel probes it each second, and ends it after ten probes without an
 * answer. A server whose machine is lost sends nothing more: a statement that waits for it would wait for ever, and keep what it
 * holds.
 */
export const keptAlive = { keepAlive: true, keepAliveInitialDelayMillis: 10_000 } as const;

/**
 * The kernel does not probe a connection over which it still sends: a statement that is sent to a lost machine is repeated for a quarter of
 * an hour. Statements, and transactions that are silent, end sooner than this, so no connection ends while PostgreSQL works for it.
 */
const connectionSilenceMaxMs = statementMaxMs + 10_000;

const serviceLimits = {
  statement_timeout: statementMaxMs,
  idle_in_transaction_session_timeout: transactionSilenceMaxMs,
};

/**
 * A migration may take long. It may not wait long for a lock, behind which the statements of running services would wait,
 * for example until a pg_dump has ended.
 */
const migrationLimits = { lock_timeout: statementMaxMs, idle_in_transaction_session_timeout: transactionSilenceMaxMs };

const dataSourceOf = (options: DatabaseOptions, limits: Record<string, number> = serviceLimits): DataSource => {
  const dataSource: DataSource = new DataSource({
    type: 'postgres',
    // Migrations have no limit.
    driver: pgOf(() => dataSource, limits === serviceLimits ? connectionSilenceMaxMs : 0),
    url: options.url,
    schema: options.schema,
    entities: options.entities,
    migrations: options.migrations,
    applicationName: options.applicationName,
    poolSize: options.poolSize ?? 10,
    installExtensions: false,
    connectTimeoutMS: connectTimeoutMs,
    extra: { ...keptAlive, ...limits, options: `-c search_path=${options.schema}` },
  });
  return dataSource;
};

/** Runs migrations on a connection of its own, with other limits than those of the service. */
const runMigrations = async (options: DatabaseOptions): Promise<string[]> => {
  const dataSource = dataSourceOf({ ...options, entities: [], poolSize: 1 }, migrationLimits);
  await dataSource.initialize();
  try {
    return (await dataSource.runMigrations({ transaction: 'each' })).map(({ name }) => name);
  } finally {
    await dataSource.destroy();
  }
};

const migrate = async (dataSource: DataSource, options: DatabaseOptions): Promise<string[]> => {
  const { url, schema } = options;
  // This connection is silent while migrations run: anything on the way that drops it would leave the lock in PostgreSQL.
  const client = new pg.Client({ ...keptAlive, connectionString: url, connectionTimeoutMillis: connectTimeoutMs });
  client.on('error', () => undefined);
  await reached('PostgreSQL', hostOf(url), client.connect());
  try {
    await lock(client, schema);
    await client.query(`CREATE SCHEMA IF NOT EXISTS ${client.escapeIdentifier(schema)}`);
    await dataSource.initialize();
    if ((await pending(dataSource, schema)).length === 0) return [];
    return await awaitingMigrations(runMigrations(options));
  } finally {
    await client.end();
  }
};

const waitForMigrationsMs = 600_000;

const waitUntilMigrated = async (dataSource: DataSource, { url, schema }: DatabaseOptions): Promise<void> => {
  await reached('PostgreSQL', hostOf(url), dataSource.initialize());
  for (const end = performance.now() + waitForMigrationsMs; ;) {
    const left = await pending(dataSource, schema);
    if (left.length === 0) return;
    if (performance.now() > end) throw new Error(`${schema} is still waiting for migrations: ${left.join(', ')}`);
    await nextPoll();
  }
};

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

/** Only migrates. Returns the names of the migrations that ran. */
export const migrateDatabase = async (options: DatabaseOptions): Promise<string[]> => {
  const dataSource = dataSourceOf(options);
  try {
    return await migrate(dataSource, options);
  } finally {
    if (dataSource.isInitialized) await dataSource.destroy();
  }
};
