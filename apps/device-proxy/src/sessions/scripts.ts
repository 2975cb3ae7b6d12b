import { readFileSync } from 'node:fs';
import type { RedisClient } from '@lanyard/service';

const names = [
  'open-session-5',
  'take-session-5',
  'update-session-3',
  'close-session-4',
  'claim-expired-1',
  'touch-session-1',
  'put-observation-3',
  'drop-observation-3',
] as const;

export type ScriptName = (typeof names)[number];

/** Runs one script: as many keys as its name says, then the arguments. */
export type RunScript = (
  name: ScriptName,
  keys: readonly string[],
  args: readonly (string | number)[],
) => Promise<unknown>;

type Command = (...args: (string | number)[]) => Promise<unknown>;

const source = (name: ScriptName): string => readFileSync(new URL(`./scripts/${name}.lua`, import.meta.url), 'utf8');

/** The scripts lie beside this file; the build copies them to dist. ioredis sends EVALSHA and falls back to EVAL. */
export const loadScripts = (redis: RedisClient): RunScript => {
  for (const name of names) {
    const numberOfKeys = Number(name.slice(name.lastIndexOf('-') + 1));
    redis.defineCommand(name, { numberOfKeys, lua: source(name) });
  }
  const commands = redis as unknown as Record<ScriptName, Command>;
  return (name, keys, args) => commands[name](...keys, ...args);
};
