import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { type OwnCertificate } from '@lanyard/dtls';
import { ConfigError } from '@lanyard/service';

export interface PreSharedKey {
  identity: string;
  key: Buffer;
}

/** A certificate, or without a chain a raw public key (RFC 7250). Both are for DTLS. */
export interface KeyPair extends OwnCertificate {
  /** The SubjectPublicKeyInfo (DER) that the server has to present; if absent, any is accepted. */
  serverKey?: Buffer;
}

/** How a device authenticates itself. */
export type Proof = PreSharedKey | KeyPair;

export type Credential = { name: string } & Proof;

export const isPreSharedKey = (proof: Proof): proof is PreSharedKey => 'key' in proof;

const setting = 'SIMULATOR_CREDENTIALS_FILE';
const forms = [
  '<name> <PSK identity> <key in hex>',
  '<name> x509 <certificate file> <private key file>',
  '<name> raw-public-key <private key file>',
];
const pemCertificates = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/** Undefined when the fields describe neither a certificate nor a raw public key. @throws Error of node:crypto or node:fs */
const certificateIn = (folder: string, [kind, ...files]: readonly string[]): OwnCertificate | undefined => {
  const [first = '', second = ''] = files.map((file) => resolve(folder, file));
  if (kind === 'raw-public-key' && files.length === 1)
    return { chain: [], privateKey: createPrivateKey(readFileSync(first)) };
  if (kind !== 'x509' || files.length !== 2) return undefined;
  const chain = (readFileSync(first, 'utf8').match(pemCertificates) ?? []).map((pem) => new X509Certificate(pem).raw);
  if (chain.length === 0) throw new Error(`${first} has no certificate`);
  return { chain, privateKey: createPrivateKey(readFileSync(second)) };
};

const preSharedKeyIn = ([identity = '', key = '', ...more]: readonly string[]): PreSharedKey | undefined =>
  /^(?:[0-9a-fA-F]{2})+$/.test(key) && more.length === 0 ? { identity, key: Buffer.from(key, 'hex') } : undefined;

const proofIn = (folder: string, fields: readonly string[], line: number): Proof => {
  let proof: Proof | undefined;
  try {
    proof = certificateIn(folder, fields) ?? preSharedKeyIn(fields);
  } catch (error) {
    throw new ConfigError(setting, `line ${line}: ${error instanceof Error ? error.message : String(error)}`);
  }
  if (!proof) throw new ConfigError(setting, `line ${line} must be one of ${forms.join(', ')}`);
  return proof;
};

const textOf = (path: string): string => {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new ConfigError(setting, `names a file that cannot be read: ${String(error)}`);
  }
};

/** Two devices with the same endpoint name would take the registration from each other. */
const refuseRepeatedNames = (lines: readonly { fields: readonly string[]; number: number }[]): void => {
  const numbers = new Map<string, number>();
  for (const {
    fields: [name = ''],
    number,
  } of lines) {
    const other = numbers.get(name);
    if (other !== undefined) throw new ConfigError(setting, `line ${number} names ${name}, as line ${other} does`);
    numbers.set(name, number);
  }
};

/** One device a line, see `forms`. Paths of files are relative to this file. @throws ConfigError */
export const readCredentials = (path: string): Credential[] => {
  const lines = textOf(path)
    .split('\n')
    .map((line, at) => ({ fields: line.trim().split(/\s+/), number: at + 1 }))
    .filter(({ fields }) => fields[0] !== '');
  if (lines.length === 0) throw new ConfigError(setting, `names no device: ${path} has no lines`);
  const credentials = lines.map(({ fields: [name = '', ...fields], number }) => ({
    name,
    ...proofIn(dirname(path), fields, number),
  }));
  refuseRepeatedNames(lines);
  return credentials;
};
