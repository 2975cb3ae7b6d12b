import { parseRedisUrl } from './redis-address.js';
import { ConfigError, type EnvReader } from './env.js';
import { tlsFiles } from './tls-files.js';

const name = 'REDIS_URL';

/**
 * REDIS_URL, with the settings `REDIS_TLS_…` added as parameters that `redisClient` reads. Throws ConfigError, whose
 * message shows no secret.
 */
export const redisUrl = (reader: EnvReader): string => {
  const text = reader.string(name);
  try {
    parseRedisUrl(text);
  } catch (error) {
    throw new ConfigError(name, (error as Error).message);
  }
  const isTls = text.startsWith('rediss');
  if (isTls && !reader.bool('REDIS_TLS_ENABLED', true))
    throw new ConfigError('REDIS_TLS_ENABLED', `is false, but ${name} begins with rediss: change one of them`);
  const files = tlsFiles(reader, 'REDIS', isTls);
  if (!files) return text;
  const [address = '', query] = text.replace(/^rediss?/, 'rediss').split('?', 2);
  const parameters = new URLSearchParams(query);
  if (files.ca) parameters.set('ca', files.ca);
  if (files.certificate) parameters.set('certificate', files.certificate);
  if (files.privateKey) parameters.set('private_key', files.privateKey);
  return parameters.size > 0 ? `${address}?${parameters}` : address;
};

/**
 * Throws ConfigError if Redis is a cluster and the prefix of the keys has no hash tag, such as `{device-proxy}:`. For
 * services whose scripts use several keys: on a cluster, only a hash tag puts them into the same slot.
 */
export const requireOneSlot = (url: string, prefixVariable: string, prefix: string): void => {
  if (parseRedisUrl(url).kind === 'cluster' && !/\{[^}]+\}/.test(prefix))
    throw new ConfigError(prefixVariable, `must hold a hash tag on a cluster, like {${prefix.replace(/:$/, '')}}:`);
};
