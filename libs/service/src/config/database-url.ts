import { isIP } from 'node:net';
import { ConfigError, type EnvReader } from './env.js';
import { tlsFiles } from './tls-files.js';

const name = 'DATABASE_URL';

/**
 * Whether the driver can read it: the folder of a Unix socket, or a URL, possibly without a host. The driver decodes
 * the user and the password, so it must be possible to decode them.
 */
const isReadable = (text: string): boolean => {
  if (text.startsWith('/')) return true;
  try {
    const { username, password } = new URL(text.replace('@/', '@host/'), 'postgres://host');
    for (const part of [username, password]) decodeURIComponent(part);
    return true;
  } catch {
    return false;
  }
};

/**
 * DATABASE_URL, with the settings `DATABASE_TLS_…` added as parameters of libpq. The driver reads the files at each
 * connection, so renewed files need no restart. Throws ConfigError.
 */
export const databaseUrl = (reader: EnvReader): string => {
  const text = reader.string(name);
  // The text is not repeated: it has the password.
  if (!isReadable(text))
    throw new ConfigError(
      name,
      'must be a URL: postgres://user:password@host:port/database, with # / ? % of the password percent-encoded',
    );
  const files = tlsFiles(reader, 'DATABASE');
  if (!files) return text;
  if (!URL.canParse(text)) throw new ConfigError(name, 'must be a URL: postgres://user:password@host:port/database');
  const url = new URL(text);
  if ([...url.searchParams.keys()].some((key) => key.startsWith('ssl')))
    throw new ConfigError(name, 'sets TLS itself, and so does DATABASE_TLS_ENABLED: leave one of them out');
  // The driver checks the name in the certificate only when it was given a name.
  if (isIP(url.hostname.replace(/^\[|\]$/g, '')) !== 0)
    throw new ConfigError(name, 'must name the host, not its address: the certificate is checked against it');
  url.searchParams.set('sslmode', 'verify-full');
  if (files.ca) url.searchParams.set('sslrootcert', files.ca);
  if (files.certificate) url.searchParams.set('sslcert', files.certificate);
  if (files.privateKey) url.searchParams.set('sslkey', files.privateKey);
  return url.href;
};
