/** Options of the commands that are called as `npm run NAME -- …`. */
import { parseArgs } from 'node:util';
import { Stop } from './project.mjs';

const help = { help: /** @type {const} */ ({ type: 'boolean', default: false }) };

/**
 * What was given. Throws Stop with the usage for unknown options; `--help` prints it and ends the process, but where
 * the command's own options have a `help`.
 * @template {NonNullable<import('node:util').ParseArgsConfig['options']>} const O
 * @param {string} usage @param {O} options @param {{ allowPositionals?: boolean }} [more]
 */
export const readCommandLine = (usage, options, { allowPositionals = false } = {}) => {
  const parse = () => parseArgs({ options: { ...help, ...options }, allowPositionals });
  /** @type {ReturnType<typeof parse>} */
  let given;
  try {
    given = parse();
  } catch (error) {
    throw new Stop(`${error instanceof Error ? error.message : error}\n${usage}`);
  }
  if (!('help' in options) && /** @type {{ help?: boolean }} */ (given.values).help) {
    process.stdout.write(`${usage}\n`);
    process.exit();
  }
  return given;
};

/** @param {string} name of the option @param {string | undefined} text @param {number} [min] */
export const wholeNumber = (name, text, min = 0) => {
  const value = Number(text);
  if (text === '' || !Number.isInteger(value) || value < min)
    throw new Stop(`--${name} takes a whole number from ${min}, not "${text}"`);
  return value;
};
