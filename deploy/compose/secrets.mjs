/** Makes .env for docker-compose.yml: random secrets, readable by you only. Adds to an existing file what it lacks. */
import { createPrivateKey, createPublicKey, generateKeyPairSync, randomBytes } from 'node:crypto';
import { appendFileSync, chmodSync, existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const path = process.argv[2] ?? fileURLToPath(new URL('../../.env', import.meta.url));
const present = existsSync(path) ? readFileSync(path, 'utf8') : '';

/**
 * What the file has. Of a name that is there twice, Compose takes the last value. An empty value, of which a copy of
 * .env.example has several, is none.
 * @param {string} name
 */
const given = (name) => [...present.matchAll(new RegExp(`^${name}=(.*)$`, 'gm'))].at(-1)?.[1]?.trim() || undefined;

const hex = (/** @type {number} */ bytes) => randomBytes(bytes).toString('hex');
const apps = ['GATEWAY', 'REGISTRY', 'DEVICE_PROXY', 'SNAPSHOT', 'EVENT_LOG', 'DISPATCHER', 'CAMPAIGNS'];
const privateKey =
  given('IDENTITY_PRIVATE_KEY') ??
  generateKeyPairSync('ed25519').privateKey.export({ format: 'der', type: 'pkcs8' }).toString('base64');

/** Services refuse tokens that were signed with another private key than its own. */
const publicKey = () => {
  const key = createPrivateKey({ key: Buffer.from(privateKey, 'base64'), format: 'der', type: 'pkcs8' });
  return createPublicKey(key).export({ format: 'der', type: 'spki' }).toString('base64');
};

const secrets = {
  POSTGRES_PASSWORD: hex(16),
  ...Object.fromEntries(apps.map((app) => [`${app}_DATABASE_PASSWORD`, hex(16)])),
  REDIS_PASSWORD: hex(16),
  IDENTITY_PRIVATE_KEY: privateKey,
  IDENTITY_PUBLIC_KEYS: given('IDENTITY_PUBLIC_KEYS') ?? publicKey(),
  ENCRYPTION_KEY: randomBytes(32).toString('base64'),
  ACCOUNT_ID: hex(16),
};
const missing = Object.entries(secrets).filter(([name]) => given(name) === undefined);
const text = missing.map(([name, value]) => `${name}=${value}\n`).join('');
// A file that was there before, for example with ports, may be readable by all.
if (existsSync(path)) chmodSync(path, 0o600);
appendFileSync(path, present === '' || present.endsWith('\n') ? text : `\n${text}`, { mode: 0o600 });
process.stdout.write(`${path}: ${missing.length} secrets added\n`);
