/** Makes .env for docker-compose.yml: random secrets, readable by you only. To an existing file it adds what is missing. */
import { randomBytes } from 'node:crypto';
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { newIdentityKeys } from '../../tools/lanyard/identity-keys.mjs';
import { apps } from '../../tools/lanyard/service-processes.mjs';

const path = process.argv[2] ?? fileURLToPath(new URL('../../.env', import.meta.url));
const hex = (/** @type {number} */ bytes) => randomBytes(bytes).toString('hex');
const { identityPrivateKey, identityPublicKey } = newIdentityKeys();
const secrets = {
  POSTGRES_PASSWORD: hex(16),
  ...Object.fromEntries(apps.map((app) => [`${app.replaceAll('-', '_').toUpperCase()}_DATABASE_PASSWORD`, hex(16)])),
  REDIS_PASSWORD: hex(16),
  IDENTITY_PRIVATE_KEY: identityPrivateKey,
  IDENTITY_PUBLIC_KEYS: identityPublicKey,
  ENCRYPTION_KEY: randomBytes(32).toString('base64'),
  ACCOUNT_ID: hex(16),
};
const present = existsSync(path) ? readFileSync(path, 'utf8') : '';
const missing = Object.entries(secrets).filter(([name]) => !new RegExp(`^${name}=`, 'm').test(present));
const text = missing.map(([name, value]) => `${name}=${value}\n`).join('');
appendFileSync(path, present === '' || present.endsWith('\n') ? text : `\n${text}`, { mode: 0o600 });
process.stdout.write(`${path}: ${missing.length} secrets added\n`);
