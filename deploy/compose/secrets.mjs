/** Makes .env for docker-compose.yml: random secrets, readable by you only. An existing file is left as it is. */
import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { newIdentityKeys } from '../../tools/lanyard/identity-keys.mjs';

const path = process.argv[2] ?? fileURLToPath(new URL('../../.env', import.meta.url));
const hex = (/** @type {number} */ bytes) => randomBytes(bytes).toString('hex');
const { identityPrivateKey, identityPublicKey } = newIdentityKeys();
const secrets = {
  POSTGRES_PASSWORD: hex(16),
  REDIS_PASSWORD: hex(16),
  IDENTITY_PRIVATE_KEY: identityPrivateKey,
  IDENTITY_PUBLIC_KEYS: identityPublicKey,
  ENCRYPTION_KEY: randomBytes(32).toString('base64'),
  ACCOUNT_ID: hex(16),
};
const text = Object.entries(secrets).map(([name, value]) => `${name}=${value}\n`);
try {
  writeFileSync(path, text.join(''), { mode: 0o600, flag: 'wx' });
  process.stdout.write(`${path} is made\n`);
} catch (error) {
  if (/** @type {NodeJS.ErrnoException} */ (error).code !== 'EEXIST') throw error;
  process.stdout.write(`${path} is there already\n`);
}
