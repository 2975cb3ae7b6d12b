import { type Bounds, ConfigError, env } from '@lanyard/service';

/**
 * Well below 24.8 days (2^31 - 1 ms): Node runs a timer with a longer delay after 1 ms, and repeats an interval with a
 * longer one each millisecond.
 */
export const intervalSecondsMax = 7 * 24 * 3_600;

/** Reads settings from the environment and the command line, or from a scenario. Every method throws ConfigError. */
export interface SettingsReader {
  whole(name: string, fallback: number, bounds?: Bounds): number;
  text(name: string, fallback: string): string;
  optional(name: string): string | undefined;
  /** False unless it is set. */
  flag(name: string): boolean;
  choice<T extends string>(name: string, choices: readonly T[], fallback: T): T;
  /** The error for a setting that has this problem. */
  problem(name: string, text: string): ConfigError;
}

/** `values-per-second` is the environment variable SIMULATOR_VALUES_PER_SECOND. */
export const variableOf = (option: string): string => `SIMULATOR_${option.toUpperCase().replaceAll('-', '_')}`;

export const environmentReader = (source: NodeJS.ProcessEnv): SettingsReader => {
  const reader = env(source);
  const problem = (name: string, text: string): ConfigError => new ConfigError(variableOf(name), text);
  return {
    whole: (name, fallback, bounds) => reader.int(variableOf(name), fallback, bounds),
    text: (name, fallback) => reader.string(variableOf(name), fallback),
    optional: (name) => reader.optional(variableOf(name)),
    flag: (name) => reader.bool(variableOf(name), false),
    choice: (name, choices, fallback) => reader.choice(variableOf(name), choices, fallback),
    problem,
  };
};
