import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { redisClient } from '@lanyard/service';
import { infrastructure as shared } from '@lanyard/testing';
import pg from 'pg';
import { parse } from 'yaml';
import { connect, dump, finish, prepare, type Shape } from './backup/database.ts';
import { databaseUserOf, usersFile } from './lanyard/database-users.ts';
import { removeData } from './lanyard/infrastructure-processes.ts';
import { startInfrastructure } from './lanyard/infrastructure.ts';
import { commandLine, stopProcess } from './lanyard/processes.ts';
import { infrastructureFolder, root } from './lanyard/project.ts';
import { apps, entryPoint, environment, type App } from './lanyard/service-processes.ts';
import { secretsOf, type Unit } from './lanyard/state.ts';

type Compose = { services: Record<string, { environment?: Record<string, string>; volumes?: string[] }> };
type Started = Awaited<ReturnType<typeof startInfrastructure>>;

const folder = mkdtempSync(join(infrastructureFolder(), '../test-users-'));
const logs = join(folder, 'logs');
const secrets = secretsOf(folder);
const passwords = [secrets.databasePassword, secrets.redisPassword, ...Object.values(secrets.servicePasswords)];
const schemas: Record<App, string> = {
  gateway: 'access',
  registry: 'registry',
  'device-proxy': 'device_proxy',
  snapshot: 'snapshot',
  'event-log': 'event_log',
  dispatcher: 'dispatcher',
  campaigns: 'campaigns',
};
const state = { ports: {} };
let started: Started | undefined;

/** As `npm start` does it; Kafka, which has no part in this, is the one that all tests share. */
const start = async (): Promise<void> => {
  started = await startInfrastructure({
    dataDir: folder,
    logs,
    secrets,
    state,
    launchUnit: (unit: Unit, launch) => void (unit.pid = launch()),
    leftOvers: [],
    infrastructure: { brokers: shared().brokers.join(',') },
    freePorts: true,
    fast: true,
    say: () => undefined,
  });
};

const stop = async (): Promise<void> => {
  const units = started?.supervised ?? [];
  started = undefined;
  await Promise.all(units.map(({ unit }) => stopProcess(unit.pid, { signal: unit.stopSignal, waitMs: 20_000 })));
};

const urls = (): Started['urls'] => {
  if (!started) throw new Error('the infrastructure is not running');
  return started.urls;
};

const environmentOf = (app: App): Record<string, string> =>
  environment(
    { app, name: `${app}-0`, port: 1 },
    {
      replicas: [],
      infrastructure: urls(),
      secrets,
      keyFile: '',
      packagesFolder: join(folder, 'packages'),
      coapHost: '127.0.0.1',
      baseUrl: 'http://127.0.0.1:1',
    },
  );

const withClient = async <T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> => {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
};

const rowsOf = (url: string, sql: string): Promise<Record<string, unknown>[]> =>
  withClient(url, async (client) => (await client.query<Record<string, unknown>>(sql)).rows);

/** Connected as the service is. */
const as = (app: App, sql: string): ReturnType<typeof rowsOf> => rowsOf(environmentOf(app)['DATABASE_URL'] ?? '', sql);

const migrate = async (app: App): Promise<void> =>
  void (await promisify(execFile)(process.execPath, [entryPoint(app), 'migrate'], { env: environmentOf(app) }));

/** What a user owns: tables, indexes, sequences, functions; those of a schema count by their schema. */
const ownedSchemas = `
  SELECT DISTINCT n.nspname AS schema FROM pg_namespace n
    LEFT JOIN pg_class c ON c.relnamespace = n.oid LEFT JOIN pg_proc p ON p.pronamespace = n.oid
  WHERE n.nspname !~ '^pg_'
    AND current_user::regrole IN (n.nspowner, c.relowner, p.proowner)`;

/** What is in the schema of a service but is not owned by its user. */
const strangersIn = (schema: string): string => `
  SELECT relname AS name FROM pg_class WHERE relnamespace = '${schema}'::regnamespace AND relowner <> current_user::regrole
  UNION ALL
  SELECT proname FROM pg_proc WHERE pronamespace = '${schema}'::regnamespace AND proowner <> current_user::regrole
  UNION ALL
  SELECT nspname FROM pg_namespace WHERE nspname = '${schema}' AND nspowner <> current_user::regrole`;

beforeAll(async () => {
  await start();
  await Promise.all(apps.map(migrate));
});
afterAll(async () => {
  await stop();
  removeData(folder);
});

describe('the PostgreSQL of npm start', () => {
  it.each(apps)(
    '%s has a user of its own, who is no superuser and owns the schema of the service alone',
    async (app) => {
      const [rights] = await as(
        app,
        `SELECT rolname AS name, rolsuper OR rolcreaterole OR rolcreatedb OR rolreplication OR rolbypassrls AS powerful
       FROM pg_roles WHERE rolname = current_user`,
      );
      expect(rights).toEqual({ name: `lanyard_${app.replace('-', '_')}`, powerful: false });
      expect(await as(app, ownedSchemas)).toEqual([{ schema: schemas[app] }]);
      expect(await as(app, strangersIn(schemas[app]))).toEqual([]);
    },
  );

  it.each(apps)('%s reads no schema of another service', async (app) => {
    for (const other of apps.filter((one) => one !== app))
      await expect(as(app, `SELECT * FROM ${schemas[other]}.migrations`)).rejects.toThrow(
        `permission denied for schema ${schemas[other]}`,
      );
    expect(await as(app, `SELECT * FROM ${schemas[app]}.migrations`)).not.toHaveLength(0);
  });

  it('a second user of a service, which its password is changed with (docs/security.md), works as the first', async () => {
    await rowsOf(
      urls().databaseUrl,
      `CREATE ROLE lanyard_registry_2 LOGIN PASSWORD 'next' IN ROLE lanyard_registry;
       ALTER ROLE lanyard_registry_2 SET role = lanyard_registry`,
    );
    const url = new URL(environmentOf('registry')['DATABASE_URL'] ?? '');
    [url.username, url.password] = ['lanyard_registry_2', 'next'];
    const env = { ...environmentOf('registry'), DATABASE_URL: url.href };
    await promisify(execFile)(process.execPath, [entryPoint('registry'), 'migrate'], { env });
    await rowsOf(url.href, 'CREATE TABLE registry.made_by_second (id bigserial PRIMARY KEY)');
    expect(await as('registry', strangersIn('registry'))).toEqual([]);
    await as('registry', 'DROP TABLE registry.made_by_second');
  });

  it('an administrator who is no superuser, as managed PostgreSQL has, creates them too, and keeps no rights', async () => {
    const url = new URL(urls().databaseUrl);
    // The users are there already: it may do with them what it might if it had created them.
    await rowsOf(
      url.href,
      `CREATE ROLE managing LOGIN PASSWORD 'managed' CREATEROLE;
       GRANT ${apps.map(databaseUserOf).join(', ')} TO managing WITH ADMIN TRUE, INHERIT FALSE, SET FALSE`,
    );
    await rowsOf(url.href, 'CREATE DATABASE managed OWNER managing');
    [url.username, url.password, url.pathname] = ['managing', 'managed', '/managed'];
    for (let n = 0; n < 2; n++) await rowsOf(url.href, readFileSync(usersFile, 'utf8'));
    for (const app of apps) {
      const own = new URL(environmentOf(app)['DATABASE_URL'] ?? '');
      own.pathname = '/managed';
      expect(await rowsOf(own.href, ownedSchemas)).toEqual([{ schema: schemas[app] }]);
    }
    await expect(rowsOf(url.href, 'CREATE TABLE registry.stray ()')).rejects.toThrow(
      'permission denied for schema registry',
    );
  });

  it('hands over what another user owns in the schemas, at the next start', async () => {
    await rowsOf(
      urls().databaseUrl,
      `ALTER SCHEMA registry OWNER TO lanyard;
       ALTER TABLE registry.devices OWNER TO lanyard;
       ALTER FUNCTION registry.note_group_changes() OWNER TO lanyard;
       ALTER SEQUENCE event_log.positions OWNER TO lanyard;
       ALTER TABLE event_log.device_events_other OWNER TO lanyard;
       CREATE TABLE dispatcher.restored (id bigserial PRIMARY KEY)`,
    );
    expect(await as('event-log', strangersIn('event_log'))).not.toEqual([]);
    await stop();
    await start();
    for (const app of apps) expect([app, await as(app, strangersIn(schemas[app]))]).toEqual([app, []]);
    await Promise.all(apps.map(migrate));
  });

  it.each(['the superuser', 'a member of their roles'])(
    'is restored by %s, and all of it belongs to the services',
    async (who) => {
      const url = new URL(urls().databaseUrl);
      if (who !== 'the superuser') {
        const users = apps.map(databaseUserOf).join(', ');
        await rowsOf(url.href, `CREATE ROLE lanyard_backup LOGIN PASSWORD 'kept' IN ROLE ${users}`);
        [url.username, url.password] = ['lanyard_backup', 'kept'];
      }
      const client = await connect(url.href);
      const lines: { shape?: Shape }[] = [];
      await dump(client, async (line) => void lines.push(line));
      const shape = lines[0]?.shape;
      if (!shape) throw new Error('the dump does not begin with the shape');
      await client.query('DROP TABLE event_log.device_events_other');
      await prepare(client, shape, true);
      await finish(client, shape);
      await client.end();
      for (const app of apps) expect([app, await as(app, strangersIn(schemas[app]))]).toEqual([app, []]);
    },
  );
});

/** A script as psql sends it, with the variables of \getenv filled in. */
const asPsql = (script: string, env: Record<string, string>): string => {
  const names = new Map([...script.matchAll(/^\\getenv (\w+) (\w+)$/gm)].map(([, name = '', key = '']) => [name, key]));
  return script
    .replace(/^\\getenv .*$/gm, '')
    .replace(/:'(\w+)'/g, (_, name: string) => pg.escapeLiteral(env[names.get(name) ?? ''] ?? ''));
};

it('Docker Compose creates the same users, with the passwords that its services have', async () => {
  const { services } = parse(readFileSync(join(root, 'docker-compose.yml'), 'utf8'), { merge: true }) as Compose;
  const secret = (text: string): string => text.replace(/\$\{(\w+):\?[^}]*\}/g, (_, name: string) => `secret-${name}`);
  const env = Object.entries(services['postgresql']?.environment ?? {}).map(([name, value]) => [name, secret(value)]);
  const scripts = (services['postgresql']?.volumes ?? []).flatMap(
    (mount) => /^\.\/([^:]+\.sql):/.exec(mount)?.[1] ?? [],
  );
  const url = new URL(urls().databaseUrl);
  await rowsOf(url.href, 'CREATE DATABASE lanyard');
  url.pathname = '/lanyard';
  for (const script of scripts)
    await rowsOf(url.href, asPsql(readFileSync(join(root, script), 'utf8'), Object.fromEntries(env)));
  for (const app of apps) {
    const own = new URL(secret(services[app]?.environment?.['DATABASE_URL'] ?? ''));
    own.host = url.host;
    expect(await rowsOf(own.href, ownedSchemas)).toEqual([{ schema: schemas[app] }]);
    own.password = 'wrong';
    await expect(rowsOf(own.href, 'SELECT 1')).rejects.toThrow('password authentication failed');
  }
});

it('the Redis of npm start refuses who has no password', async () => {
  const { REDIS_URL = '' } = environmentOf('dispatcher');
  const answerOf = async (url: string): Promise<unknown> => {
    const redis = redisClient(url, { maxRetriesPerRequest: 1, retryStrategy: () => 50 });
    redis.on('error', () => undefined);
    return redis.ping().finally(() => redis.disconnect());
  };
  expect(await answerOf(REDIS_URL)).toBe('PONG');
  await expect(answerOf(REDIS_URL.replace(/\/\/.*@/, '//'))).rejects.toThrow('NOAUTH');
  await expect(answerOf(REDIS_URL.replace(/\/\/.*@/, '//:wrong@'))).rejects.toThrow('WRONGPASS');
});

it('shows no password of the infrastructure in a log, a command line, a state or a file that others may read', () => {
  expect(new Set(passwords).size).toBe(apps.length + 2);
  const shown = [
    ...(started?.supervised ?? []).map(({ unit }) => `${commandLine(unit.pid ?? 0)} ${JSON.stringify(unit)}`),
    ...['postgresql', 'redis'].map((name) => readFileSync(join(logs, `${name}.log`), 'utf8')),
  ];
  for (const password of passwords) expect(shown.join('\n')).not.toContain(password);
  for (const file of ['secrets.json', 'redis/redis.conf'])
    expect([file, statSync(join(folder, file)).mode & 0o077]).toEqual([file, 0]);
});
