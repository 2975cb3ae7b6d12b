/** The Secrets of k8s/overlays/local and its infrastructure, from the passwords that docker-compose.yml uses too. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { secretsOfServices } from '../cluster/overlay.ts';
import { databaseUserOf } from '../lanyard/database-users.ts';
import { root } from '../lanyard/project.ts';
import { apps, type App } from '../lanyard/service-processes.ts';
import { type Manifest, readManifests } from './kustomize.ts';

const infrastructure = 'lanyard-infrastructure';

const passwordName = (app: App) => `${app.toUpperCase().replaceAll('-', '_')}_DATABASE_PASSWORD`;

const secret = (name: string, stringData: Record<string, string>) =>
  ({ apiVersion: 'v1', kind: 'Secret', metadata: { name, namespace: infrastructure }, stringData }) as Manifest;

/** @param environment from a file that deploy/compose/secrets.mjs made */
export const devSecrets = (environment: Record<string, string>): Manifest[] => {
  const of = (name: string) => {
    const value = environment[name];
    if (!value) throw new Error(`${name} is missing`);
    return value;
  };
  const server = `@lanyard-postgresql-rw.${infrastructure}.svc:5432/lanyard`;
  const services = secretsOfServices(
    {
      brokers: '',
      databaseUrl: '',
      databaseUrls: Object.fromEntries(
        apps.map((app) => [app, `postgres://${databaseUserOf(app)}:${of(passwordName(app))}${server}`]),
      ) as Record<App, string>,
      redisUrl: `redis://:${of('REDIS_PASSWORD')}@redis.${infrastructure}.svc:6379`,
    },
    {
      identityPrivateKey: of('IDENTITY_PRIVATE_KEY'),
      identityPublicKey: of('IDENTITY_PUBLIC_KEYS'),
      encryptionKey: of('ENCRYPTION_KEY'),
      accountId: of('ACCOUNT_ID'),
    },
  );
  const script = (path: string) => readFileSync(join(root, path), 'utf8');
  return [
    ...readManifests(join(root, 'k8s/overlays/dev/namespace.yaml')),
    ...readManifests(join(root, 'k8s/infrastructure-dev/namespace.yaml')),
    ...services,
    secret('postgresql-passwords', {
      POSTGRES_PASSWORD: of('POSTGRES_PASSWORD'),
      ...Object.fromEntries(apps.map((app) => [passwordName(app), of(passwordName(app))])),
    }),
    secret('postgresql-scripts', {
      '1-users.sql': script('deploy/postgresql/users.sql'),
      '2-passwords.sql': script('deploy/compose/passwords.sql'),
    }),
    secret('redis-password', { 'password.conf': `requirepass ${of('REDIS_PASSWORD')}\n` }),
  ];
};
