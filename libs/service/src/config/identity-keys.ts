import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import { ConfigError, type EnvReader } from './env.js';

const isEd25519 = (key: KeyObject): boolean => key.asymmetricKeyType === 'ed25519';

const parsed = (variable: string, problem: string, parse: () => KeyObject): KeyObject => {
  try {
    const key = parse();
    if (isEd25519(key)) return key;
  } catch {
    // OpenSSL errors about a key must not be logged.
  }
  throw new ConfigError(variable, problem);
};

/** The key with which the gateway signs identity tokens. */
export const identityPrivateKey = (reader: EnvReader): KeyObject => {
  const key = Buffer.from(reader.string('IDENTITY_PRIVATE_KEY'), 'base64');
  return parsed('IDENTITY_PRIVATE_KEY', 'must be an Ed25519 private key (PKCS #8, DER) in base64', () =>
    createPrivateKey({ key, format: 'der', type: 'pkcs8' }),
  );
};

/** A service accepts identity tokens that any of these keys verifies. */
export const identityPublicKeys = (reader: EnvReader): KeyObject[] => {
  const name = 'IDENTITY_PUBLIC_KEYS';
  const problem = 'must hold one or more Ed25519 public keys (SPKI, DER) in base64, comma-separated';
  const texts = reader.list(name);
  if (texts.length === 0) throw new ConfigError(name, problem);
  return texts.map((text) =>
    parsed(name, problem, () => createPublicKey({ key: Buffer.from(text, 'base64'), format: 'der', type: 'spki' })),
  );
};
