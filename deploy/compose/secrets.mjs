/** Makes .env for docker-compose.yml: random secrets, readable by you only. To an existing file it adds what is missing. */
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { appendFileSync, chmodSync, existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const path = process.argv[2] ?? fileURLToPath(new URL('../../.env', import.meta.url));
const hex = (/** @type {number} */ bytes) => randomBytes(bytes).toString('hex');
const apps = ['GATEWAY', 'REGISTRY', 'DEVICE_PROXY', 'SNAPSHOT', 'EVENT_LOG', 'DISPATCHER', 'CAMPAIGNS'];
const { privateKey, publicKey } = generateKeyPairSync('ed25519');
const secrets = {
  POSTGRES_PASSWORD: hex(16),
  ...Object.fromEntries(apps.map((app) => [`${app}_DATABASE_PASSWORD`, hex(16)])),
  REDIS_PASSWORD: hex(16),
  IDENTITY_PRIVATE_KEY: privateKey.export({ format: 'der', type: 'pkcs8' }).toString('base64'),
  IDENTITY_PUBLIC_KEYS: publicKey.export({ format: 'der', type: 'spki' }).toString('base64'),
  ENCRYPTION_KEY: randomBytes(32).toString('base64'),
  ACCOUNT_ID: hex(16),
};
const present = existsSync(path) ? readFileSync(path, 'utf8') : '';
const missing = Object.entries(secrets).filter(([name]) => !new RegExp(`^${name}=`, 'm').test(present));
const text = missing.map(([name, value]) => `${name}=${value}\n`).join('');
// A file that was there before, for example with ports, may be readable by all.
if (existsSync(path)) chmodSync(path, 0o600);
appendFileSync(path, present === '' || present.endsWith('\n') ? text : `\n${text}`, { mode: 0o600 });
process.stdout.write(`${path}: ${missing.length} secrets added\n`);
