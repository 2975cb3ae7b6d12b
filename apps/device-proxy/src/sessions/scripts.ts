import { readFileSync } from 'node:fs';
import type { RedisClient } from '@lanyard/service';

const names = [
  'open-sessions',
  'take-session-3',
  'update-session-3',
  'close-session-4',
  'claim-expired-1',
  'note-observations',
  'renew-sessions',
] as const;

export type ScriptName = (typeof names)[number];

/** Runs one script: as many keys as its name says (any number where it says none), then the arguments. */
export type RunScript = (
  name: ScriptName,
  keys: readonly string[],
  args: readonly (string | number)[],
) => Promise<unknown>;

/** `take-session-3` has three keys; a name without a number has as many as its caller gives. */
const keysOf = (name: ScriptName): number | undefined => {
  const digits = /-(\d+)$/.exec(name)?.[1];
  return digits === undefined ? undefined : Number(digits);
};

type Command = (...args: (string | number)[]) => Promise<unknown>;

const read = (name: string): string => readFileSync(new URL(`./scripts/${name}.lua`, import.meta.url), 'utf8');

/** What begins, moves or ends a session shares how epochs grow and who has an address. */
const withPrelude: readonly ScriptName[] = ['open-sessions', 'take-session-3', 'update-session-3', 'close-session-4'];

const source = (name: ScriptName): string =>
  withPrelude.includes(name) ? `${read('prelude')}\n${read(name)}` : read(name);

/** The scripts lie beside this file; the build copies them to dist. ioredis sends EVALSHA and falls back to EVAL. */
export const loadScripts = (redis: RedisClient): RunScript => {
  for (const name of names) {
    const numberOfKeys = keysOf(name);
    redis.defineCommand(name, { ...(numberOfKeys !== undefined && { numberOfKeys }), lua: source(name) });
  }
  const commands = redis as unknown as Record<ScriptName, Command>;
  return (name, keys, args) =>
    keysOf(name) === undefined ? commands[name](keys.length, ...keys, ...args) : commands[name](...keys, ...args);
};
