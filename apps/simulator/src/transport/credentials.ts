import { readFileSync } from 'node:fs';
import { ConfigError } from '@lanyard/service';

export interface Credential {
  name: string;
  identity: string;
  key: Buffer;
}

/** One device a line: endpoint name, PSK identity, key in hex. */
export const readCredentials = (path: string): Credential[] =>
  readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line, at) => {
      const [, name, identity, key] = /^(\S+)\s+(\S+)\s+((?:[0-9a-fA-F]{2})+)\s*$/.exec(line) ?? [];
      if (!name || !identity || !key)
        throw new ConfigError('SIMULATOR_CREDENTIALS_FILE', `line ${at + 1} must be: name, identity, key in hex`);
      return { name, identity, key: Buffer.from(key, 'hex') };
    });
