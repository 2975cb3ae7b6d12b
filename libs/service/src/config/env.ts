/** A variable is missing or invalid. The message names it and says what to set. */
export class ConfigError extends Error {
  constructor(
    readonly variable: string,
    problem: string,
  ) {
    super(`${variable} ${problem}`);
    this.name = 'ConfigError';
  }
}

export interface Bounds {
  min?: number;
  max?: number;
}

/** Typed readers over the environment. Empty text counts as not set. Every reader throws ConfigError. */
export interface EnvReader {
  string(name: string, fallback?: string): string;
  optional(name: string): string | undefined;
  int(name: string, fallback?: number, bounds?: Bounds): number;
  bool(name: string, fallback?: boolean): boolean;
  /** Comma separated; blanks around entries are dropped. */
  list(name: string, fallback?: string[]): string[];
  choice<T extends string>(name: string, choices: readonly T[], fallback: T): T;
}

const required = <T>(name: string, fallback: T | undefined): T => {
  if (fallback === undefined) throw new ConfigError(name, 'is not set');
  return fallback;
};

const toInt = (name: string, text: string, { min = -Infinity, max = Infinity }: Bounds): number => {
  const value = Number(text);
  if (!Number.isInteger(value)) throw new ConfigError(name, `must be a whole number, not "${text}"`);
  if (value < min || value > max) throw new ConfigError(name, `must be between ${min} and ${max}, not ${value}`);
  return value;
};

const toBool = (name: string, text: string): boolean => {
  if (/^(1|true|yes|on)$/i.test(text)) return true;
  if (/^(0|false|no|off)$/i.test(text)) return false;
  throw new ConfigError(name, `must be true or false, not "${text}"`);
};

export const env = (source: NodeJS.ProcessEnv = process.env): EnvReader => {
  const read = (name: string): string | undefined => source[name]?.trim() || undefined;
  return {
    string: (name, fallback) => read(name) ?? required(name, fallback),
    optional: read,
    int: (name, fallback, bounds = {}) => {
      const text = read(name);
      return text === undefined ? required(name, fallback) : toInt(name, text, bounds);
    },
    bool: (name, fallback) => {
      const text = read(name);
      return text === undefined ? required(name, fallback) : toBool(name, text);
    },
    list: (name, fallback) => {
      const text = read(name);
      if (text === undefined) return required(name, fallback);
      return text.split(',').flatMap((entry) => entry.trim() || []);
    },
    choice: (name, choices, fallback) => {
      const text = read(name) ?? fallback;
      const found = choices.find((choice) => choice === text);
      if (found === undefined) throw new ConfigError(name, `must be one of ${choices.join(', ')}, not "${text}"`);
      return found;
    },
  };
};
