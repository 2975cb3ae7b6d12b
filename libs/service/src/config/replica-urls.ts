import { ConfigError, type EnvReader } from './env.js';

export const isHttpUrl = (text: string): boolean => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);

const isReplicaUrl = (text: string): boolean => isHttpUrl(text) && new URL(text).href === `${new URL(text).origin}/`;

/**
 * Base URLs of the replicas of a service. One with a path is refused, because requests have paths of their own. Throws
 * ConfigError.
 */
export const replicaUrls = (reader: EnvReader, name: string, fallback?: string[]): string[] => {
  const urls = reader.list(name, fallback);
  const wrong = urls.find((url) => !isReplicaUrl(url));
  if (wrong !== undefined)
    throw new ConfigError(name, `must hold http(s) URLs without a path, comma separated, not "${wrong}"`);
  return urls;
};
