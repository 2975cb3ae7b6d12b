import { randomBytes } from 'node:crypto';
import pg from 'pg';

/** Addresses of the real Kafka, PostgreSQL and Redis that tests run on. */
export interface Infrastructure {
  brokers: string[];
  databaseUrl: string;
  redisUrl: string;
}

const variable = (name: string): string => {
  const value = process.env[name];
  if (!value)
    throw new Error(`${name} is not set: run tests through \`npm test\`, which starts the infrastructure and sets it`);
  return value;
};

/** From KAFKA_BROKERS, DATABASE_URL and REDIS_URL. */
export const infrastructure = (): Infrastructure => ({
  brokers: variable('KAFKA_BROKERS').split(','),
  databaseUrl: variable('DATABASE_URL'),
  redisUrl: variable('REDIS_URL'),
});

/** Topics, keys and a database that belong to one test file. */
export interface Isolation {
  topicPrefix: string;
  databaseUrl: string;
  redisPrefix: string;
  /** Removes the database. Topics and keys are removed with the infrastructure. */
  drop(): Promise<void>;
}

const withClient = async (url: string, work: (client: pg.Client) => Promise<unknown>): Promise<void> => {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await work(client);
  } finally {
    await client.end();
  }
};

/** A topic prefix, a fresh database and a key prefix that are used nowhere else. */
export const isolate = async (name: string): Promise<Isolation> => {
  const { databaseUrl } = infrastructure();
  const unique = `t${randomBytes(4).toString('hex')}`;
  const database = `${unique}_${name.replace(/[^a-z0-9]/g, '_')}`;
  await withClient(databaseUrl, (client) => client.query(`CREATE DATABASE ${client.escapeIdentifier(database)}`));
  const own = new URL(databaseUrl);
  own.pathname = `/${database}`;
  return {
    topicPrefix: `${unique}.`,
    databaseUrl: own.href,
    redisPrefix: `${unique}:`,
    drop: () =>
      withClient(databaseUrl, (client) =>
        client.query(`DROP DATABASE IF EXISTS ${client.escapeIdentifier(database)} WITH (FORCE)`),
      ),
  };
};
