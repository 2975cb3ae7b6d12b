/** Gives each service its own user in the PostgreSQL that `npm start` runs. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './project.ts';
import { apps, type App } from './service-processes.ts';

/** Plain SQL that creates the users; Docker Compose and Kubernetes use it too. */
export const usersFile = join(root, 'deploy/postgresql/users.sql');

export const databaseUserOf = (app: App) => `lanyard_${app.replaceAll('-', '_')}`;

/** PostgreSQL logs statements that fail or that take long; these contain passwords. */
const logNoStatements =
  "SET log_statement = 'none'; SET log_min_error_statement = 'panic'; SET log_min_duration_statement = -1";

/**
 * Creates the users that do not exist, makes each the owner of its schema, and sets the passwords.
 * @returns the URL for each service
 */
export const ensureDatabaseUsers = async (
  administratorUrl: string,
  passwords: Record<App, string>,
): Promise<Record<App, string>> => {
  // `npm start` loads this module before the packages are installed.
  const { default: pg } = await import('pg');
  const client = new pg.Client({ connectionString: administratorUrl, application_name: 'lanyard-start' });
  await client.connect();
  try {
    await client.query(logNoStatements);
    await client.query(readFileSync(usersFile, 'utf8'));
    for (const app of apps) {
      const [user, password] = [pg.escapeIdentifier(databaseUserOf(app)), pg.escapeLiteral(passwords[app])];
      await client.query(`ALTER ROLE ${user} PASSWORD ${password}`);
    }
  } finally {
    await client.end();
  }
  const urls = apps.map((app) => {
    const url = new URL(administratorUrl);
    url.username = databaseUserOf(app);
    url.password = passwords[app];
    return [app, url.href];
  });
  return Object.fromEntries(urls);
};
