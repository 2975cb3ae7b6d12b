import { homedir } from 'node:os';
import { join } from 'node:path';

export interface Environment {
  /** Folder of the profiles and of the state of `forward`. */
  folder: string;
  url: string | undefined;
  key: string | undefined;
  keyFile: string | undefined;
  profile: string | undefined;
  /** https://no-color.org */
  noColor: boolean;
}

/** An empty variable counts as absent. */
export const readEnvironment = (source: NodeJS.ProcessEnv = process.env): Environment => {
  const text = (name: string): string | undefined => source[name] || undefined;
  return {
    folder: text('LANYARD_CONFIG_DIR') ?? join(text('XDG_CONFIG_HOME') ?? join(homedir(), '.config'), 'lanyard'),
    url: text('LANYARD_URL'),
    key: text('LANYARD_KEY'),
    keyFile: text('LANYARD_KEY_FILE'),
    profile: text('LANYARD_PROFILE'),
    noColor: text('NO_COLOR') !== undefined,
  };
};
