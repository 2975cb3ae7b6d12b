import { Malformed } from '../errors.js';
import { isIntegerOf } from '../values/value.js';

/** The value of a record, and the base value that is added to it. */
const valueFields = new Set(['v', 'bv']);

const longInteger = /^-?\d{16,20}$/;

/** Digits of a fraction do not count: floats often have as many. */
const longDigits = /(?:^|[^.\d])\d{16}/;

/**
 * An integer of 64 bits that a number cannot hold becomes a bigint with the digits that were read. Node 20 passes no
 * `context`: there it stays a number, whose last digits may differ.
 */
const withDigits = (name: string, value: unknown, context?: { source?: string }): unknown => {
  if (typeof value !== 'number' || Number.isSafeInteger(value) || !valueFields.has(name)) return value;
  const source = context?.source ?? '';
  if (!longInteger.test(source)) return value;
  const integer = BigInt(source);
  return isIntegerOf(integer, 'integer') || isIntegerOf(integer, 'unsigned') ? integer : value;
};

/** The content of a payload in JSON. Throws Malformed, which names the format. */
export const parseJson = (bytes: Buffer, format: string): unknown => {
  const text = bytes.toString('utf8');
  try {
    // JSON.parse takes several times as long with a function.
    return longDigits.test(text) ? JSON.parse(text, withDigits) : JSON.parse(text);
  } catch {
    throw new Malformed(format, 'is no JSON');
  }
};
