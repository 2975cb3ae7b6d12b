import { isIP } from 'node:net';
import { ConfigError, type EnvReader } from './env.js';
import { tlsFiles } from './tls-files.js';

const name = 'DATABASE_URL';

/**
 * DATABASE_URL with what `DATABASE_TLS_…` say, in the words of libpq: the driver reads the files at each connection, so
 * renewed ones need no restart.
 */
export const databaseUrl = (reader: EnvReader): string => {
  const text = reader.string(name);
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
