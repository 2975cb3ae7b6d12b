import type { RedisClient } from '@lanyard/service';

/** Runs one script with the number of keys that its name ends with (any number if it has none), and then the arguments. */
export type RunScripts<Name extends string> = (
  name: Name,
  keys: readonly string[],
  args: readonly (string | number)[],
) => Promise<unknown>;

/** `take-session-3` has three keys; a name without a number has as many as its caller gives. */
const keysOf = (name: string): number | undefined => {
  const digits = /-(\d+)$/.exec(name)?.[1];
  return digits === undefined ? undefined : Number(digits);
};

type Command = (...args: (string | number)[]) => Promise<unknown>;

/** ioredis sends EVALSHA and falls back to EVAL. */
export const defineScripts = <Name extends string>(
  redis: RedisClient,
  names: readonly Name[],
  source: (name: Name) => string,
): RunScripts<Name> => {
  for (const name of names) {
    const numberOfKeys = keysOf(name);
    redis.defineCommand(name, { ...(numberOfKeys !== undefined && { numberOfKeys }), lua: source(name) });
  }
  const commands = redis as unknown as Record<Name, Command>;
  return (name, keys, args) =>
    keysOf(name) === undefined ? commands[name](keys.length, ...keys, ...args) : commands[name](...keys, ...args);
};
