import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { ConfigError, type EnvReader } from './env.js';

/** PEM files for connections to one server. Without `ca`, the root certificates of Node are trusted. */
export interface TlsFiles {
  ca?: string;
  /** Client certificate, if the server requires one; both or neither. */
  certificate?: string;
  privateKey?: string;
}

/** Their contents, as `tls.connect` takes them. The server's certificate and its host name are always checked. */
export interface TlsMaterial {
  ca?: string;
  cert?: string;
  key?: string;
}

/** PEM may have text between certificates, as bundles of operating systems do. */
const pemCertificate = /-----BEGIN CERTIFICATE-----[\s\S]*?-----END CERTIFICATE-----/g;

/** The certificates of a PEM text. Throws where there is none, or a broken one. */
export const certificatesIn = (text: string): string[] => {
  const certificates = text.match(pemCertificate) ?? [];
  if (certificates.length === 0) throw new Error('it contains no certificate');
  for (const certificate of certificates) new X509Certificate(certificate);
  return certificates;
};

const checked = (reader: EnvReader, name: string, check: (text: string) => unknown): string | undefined => {
  const path = reader.optional(name);
  if (path === undefined) return undefined;
  try {
    check(readFileSync(path, 'utf8'));
  } catch (error) {
    throw new ConfigError(name, `names ${path}, which cannot be read as PEM: ${(error as Error).message}`);
  }
  return path;
};

const isPair = (certificate: string, privateKey: string): boolean => {
  const [own] = certificatesIn(readFileSync(certificate, 'utf8'));
  return new X509Certificate(own as string).checkPrivateKey(createPrivateKey(readFileSync(privateKey)));
};

/**
 * From `<PREFIX>_CERTIFICATE_FILE` (with the chain below the root) and `<PREFIX>_PRIVATE_KEY_FILE`. Throws ConfigError for a
 * file that does not exist or is no PEM, for one file without the other, and for the key of another certificate.
 */
export const certificateFiles = (reader: EnvReader, prefix: string): Pick<TlsFiles, 'certificate' | 'privateKey'> => {
  const certificate = checked(reader, `${prefix}_CERTIFICATE_FILE`, certificatesIn);
  const privateKey = checked(reader, `${prefix}_PRIVATE_KEY_FILE`, (text) => createPrivateKey(text));
  if ((certificate === undefined) !== (privateKey === undefined))
    throw new ConfigError(`${prefix}_PRIVATE_KEY_FILE`, 'and …_CERTIFICATE_FILE must be set together');
  if (certificate && privateKey && !isPair(certificate, privateKey))
    throw new ConfigError(
      `${prefix}_PRIVATE_KEY_FILE`,
      'is not the key of the first certificate in …_CERTIFICATE_FILE',
    );
  return { ...(certificate && { certificate, privateKey }) };
};

/**
 * From `<PREFIX>_TLS_ENABLED`, `_TLS_CA_FILE`, `_TLS_CERTIFICATE_FILE` and `_TLS_PRIVATE_KEY_FILE`; undefined: no TLS.
 * `enabledByDefault`: whether TLS is used if `_TLS_ENABLED` is not set. Throws ConfigError for a file that does not
 * exist or is no PEM, and for files without TLS.
 */
export const tlsFiles = (reader: EnvReader, prefix: string, enabledByDefault = false): TlsFiles | undefined => {
  const enabled = reader.bool(`${prefix}_TLS_ENABLED`, enabledByDefault);
  const ca = checked(reader, `${prefix}_TLS_CA_FILE`, certificatesIn);
  const client = certificateFiles(reader, `${prefix}_TLS`);
  if (enabled) return { ...(ca && { ca }), ...client };
  if (ca ?? client.certificate)
    throw new ConfigError(`${prefix}_TLS_ENABLED`, 'is not true, but its files are set: set it, or remove them');
  return undefined;
};

export const readTls = ({ ca, certificate, privateKey }: TlsFiles): TlsMaterial => ({
  ...(ca && { ca: readFileSync(ca, 'utf8') }),
  ...(certificate && { cert: readFileSync(certificate, 'utf8') }),
  ...(privateKey && { key: readFileSync(privateKey, 'utf8') }),
});
