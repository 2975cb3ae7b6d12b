/** Options of the commands that are called as `npm run NAME -- …`. */
import { parseArgs, type ParseArgsConfig } from 'node:util';
import { progress, run, Stop } from './project.ts';

const help = { help: { type: 'boolean', default: false } as const };

/**
 * The options given. Throws Stop with the usage for unknown options; `--help` prints it and ends the process, unless the
 * command has its own option `help`.
 */
export const readCommandLine = <const O extends NonNullable<ParseArgsConfig['options']>>(
  usage: string,
  options: O,
  { allowPositionals = false }: { allowPositionals?: boolean } = {},
) => {
  const parse = () => parseArgs({ options: { ...help, ...options }, allowPositionals });
  let given: ReturnType<typeof parse>;
  try {
    given = parse();
  } catch (error) {
    throw new Stop(`${error instanceof Error ? error.message : error}\n${usage}`);
  }
  if (!('help' in options) && (given.values as { help?: boolean }).help) {
    process.stdout.write(`${usage}\n`);
    process.exit();
  }
  return given;
};

/**
 * Runs a whole program: calls `main` with the options given, and ends with its exit code, whatever is still open.
 * `printsResult`: standard output is reserved for the result, and progress is written to standard error.
 */
export const command = async <const O extends NonNullable<ParseArgsConfig['options']>>(
  about: { usage: string; options?: O; allowPositionals?: boolean; printsResult?: boolean },
  main: (given: ReturnType<typeof readCommandLine<O>>) => Promise<number | void>,
) => {
  const { usage, options = {} as O, allowPositionals = false, printsResult = false } = about;
  if (printsResult) progress.stream = process.stderr;
  await run(async () => main(readCommandLine(usage, options, { allowPositionals })));
  process.exit();
};

export const pattern = (name: string, text: string) => {
  try {
    return new RegExp(text);
  } catch {
    throw new Stop(`--${name} takes a regular expression, not "${text}"`);
  }
};

export const wholeNumber = (name: string, text: string | undefined, min: number = 0) => {
  const value = Number(text);
  if (text?.trim() === '' || !Number.isInteger(value) || value < min)
    throw new Stop(`--${name} takes a whole number from ${min}, not "${text}"`);
  return value;
};
