import { WrongParameter } from '../errors.js';
import { parsePath } from './path.js';

/** The largest `pmin`, `pmax`, `epmin`, `epmax` and `hqmax`. */
export const wholeAttributeMax = 999_999_999;

/** The largest `gt`, `lt` and `st`; the smallest `gt` and `lt` are as far below 0. They have up to 9 decimal places. */
export const decimalAttributeMax = 999_999_999_999_999;

interface Value {
  pattern: RegExp;
  max: number;
  problem: string;
}

const whole: Value = {
  pattern: /^\d{1,9}$/,
  max: wholeAttributeMax,
  problem: 'must be a whole number of at most 9 digits',
};
const decimal: Value = {
  pattern: /^-?\d{1,15}(\.\d{1,9})?$/,
  max: decimalAttributeMax,
  problem: `must be a decimal number from -${decimalAttributeMax} to ${decimalAttributeMax} with at most 9 decimal places`,
};
const step: Value = {
  pattern: /^\d{1,15}(\.\d{1,9})?$/,
  max: decimalAttributeMax,
  problem: `must be a decimal number that is not negative, of at most ${decimalAttributeMax} with at most 9 decimal places`,
};
const flag: Value = { pattern: /^[01]$/, max: 1, problem: 'must be 0 or 1' };

const values = {
  con: flag,
  edge: flag,
  epmax: whole,
  epmin: whole,
  gt: decimal,
  hqmax: whole,
  lt: decimal,
  pmax: whole,
  pmin: whole,
  st: step,
} as const;

/** These attributes compare values, which only resources and resource instances have. */
const comparing: readonly string[] = ['edge', 'gt', 'lt', 'st'];

/**
 * The attributes of an Observe (LwM2M 1.2 core §6.4.1, §7.3) as the query of its URI, in a fixed order. Parameters with
 * other names are left out. Undefined if there are no attributes. Throws WrongParameter. The device decides whether the
 * attributes fit together, for example `pmin` and `pmax`.
 */
export const observeAttributes = (path: string, given: Readonly<Record<string, unknown>>): string | undefined => {
  const parts = Object.entries<Value>(values).flatMap(([name, expected]) => {
    if (!Object.hasOwn(given, name)) return [];
    const value = given[name];
    if (typeof value !== 'string') throw new WrongParameter(name, 'is given twice');
    if (!expected.pattern.test(value) || Math.abs(Number(value)) > expected.max)
      throw new WrongParameter(name, expected.problem);
    if (comparing.includes(name) && parsePath(path).resource === undefined)
      throw new WrongParameter(name, 'applies to resources only');
    return `${name}=${value}`;
  });
  return parts.length === 0 ? undefined : parts.join('&');
};
