/** docs/configuration.md names every variable that an app or a tool reads, and no other; .env.example names only such. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { newIdentityKeys } from './lanyard/identity-keys.ts';
import { root } from './lanyard/project.ts';
import { apps } from './lanyard/service-processes.ts';

const { identityPrivateKey, identityPublicKey } = newIdentityKeys();

/** Enough for a configuration to be read to its end. */
const needed: Record<string, string> = {
  KAFKA_BROKERS: 'a:1',
  DATABASE_URL: 'postgres://a',
  REDIS_URL: 'redis://a',
  IDENTITY_PRIVATE_KEY: identityPrivateKey,
  IDENTITY_PUBLIC_KEYS: identityPublicKey,
  ENCRYPTION_KEY: Buffer.alloc(32).toString('base64'),
  DEVICE_PROXY_COAP_NOSEC_ENABLED: 'true',
  DEVICE_PROXY_COAP_NOSEC_ACCOUNT_ID: '0'.repeat(32),
  DEVICE_PROXY_COAP_DTLS_ENABLED: 'true',
  DEVICE_PROXY_COAP_TLS_ENABLED: 'true',
  DEVICE_PROXY_COAP_TCP_NOSEC_ENABLED: 'true',
  DEVICE_PROXY_COAP_TCP_NOSEC_ACCOUNT_ID: '0'.repeat(32),
  CAMPAIGNS_DATA_DIR: '/data',
  GATEWAY_PUBLIC_URL: 'https://a',
  GATEWAY_OIDC_ISSUER: 'https://b',
  GATEWAY_OIDC_CLIENT_ID: 'a',
  GATEWAY_OIDC_ROLES: `a=${'0'.repeat(32)}`,
};

const read = new Set<string>();
const source = new Proxy(needed, {
  get: (known, name) => {
    if (typeof name !== 'string') return undefined;
    read.add(name);
    return known[name] ?? (name.endsWith('_URLS') ? 'http://a' : undefined);
  },
});
for (const app of [...apps, 'simulator']) {
  const { readConfig } = await import(join(root, 'apps', app, 'dist/config.js'));
  readConfig(source);
}

const programs = (folder: string): string[] =>
  readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    return entry.isDirectory() ? programs(path) : /(?<!spec)\.ts$/.test(entry.name) ? [path] : [];
  });
for (const path of [...programs(join(root, 'tools')), ...programs(join(root, 'bench'))])
  for (const [, name = ''] of readFileSync(path, 'utf8').matchAll(/process\.env(?:\.|\[')([A-Z_]+)/g)) read.add(name);

const page = readFileSync(join(root, 'docs/configuration.md'), 'utf8');
const documented = new Set(
  [...page.matchAll(/^\| (`[^|]*`) +\|/gm)].flatMap(([, cell = '']) =>
    [...cell.matchAll(/`([A-Z][A-Z0-9_]+)`/g)].map((m) => m[1] ?? ''),
  ),
);
const example = [...readFileSync(join(root, '.env.example'), 'utf8').matchAll(/^([A-Z][A-Z0-9_]+)=/gm)].map(
  (m) => m[1] ?? '',
);

const complain = (names: Iterable<string>, problem: string) => {
  for (const name of names) {
    console.error(`${name} ${problem}`);
    process.exitCode = 1;
  }
};
complain(
  [...read].filter((name) => !documented.has(name)),
  'is read, but not in docs/configuration.md',
);
complain(
  [...documented].filter((name) => !read.has(name)),
  'is in docs/configuration.md, but nothing reads it',
);
complain(
  example.filter((name) => !documented.has(name)),
  'is in .env.example, but not in docs/configuration.md',
);
