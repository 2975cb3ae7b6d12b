import { isUtf8 } from 'node:buffer';
import { type BlockValue, decodeBlock } from './block-value.js';
import { type CoapOption } from './message.js';
import { isCritical, OptionNumber } from './option-number.js';

const REPEATABLE = new Set<number>([
  OptionNumber.ETag,
  OptionNumber.LocationPath,
  OptionNumber.UriPath,
  OptionNumber.UriQuery,
  OptionNumber.LocationQuery,
  OptionNumber.RequestTag,
]);

/**
 * Passes each option to `take`, which stores it, or returns false if it is unknown or its value is out of range. Such an option,
 * and a repetition of a non-repeatable one, is ignored if it is elective; if it is critical, the message is unusable, and the
 * number of the option is returned (RFC 7252 §5.4).
 */
export function readOptions<T>(
  options: CoapOption[],
  into: T,
  take: (into: T, number: number, value: Buffer) => boolean,
): number | undefined {
  let previous = -1;
  for (const { number, value } of options) {
    const repeated = number === previous && !REPEATABLE.has(number);
    previous = number;
    if ((repeated || !take(into, number, value)) && isCritical(number)) return number;
  }
  return undefined;
}

/** Appends a text of up to 255 bytes. */
export function takeText(list: string[], value: Buffer): boolean {
  if (value.length > 255 || !isUtf8(value)) return false;
  list.push(value.toString('utf8'));
  return true;
}

/** Block1 or Block2. The reserved size is known but not usable: such a request is answered with 4.00 (RFC 7959 §2.2). */
export type ReadBlock = BlockValue | 'reserved-size';

/** `undefined` when the value is too long. */
function readBlock(value: Buffer, szxMax?: number): ReadBlock | undefined {
  return value.length > 3 ? undefined : (decodeBlock(value, szxMax) ?? 'reserved-size');
}

/** Stores Block1 or Block2; `undefined` when the option is neither. */
export function takeBlock(
  into: { block1?: ReadBlock; block2?: ReadBlock },
  number: number,
  value: Buffer,
  szxMax: number | undefined,
): boolean | undefined {
  if (number === OptionNumber.Block1) return (into.block1 = readBlock(value, szxMax)) !== undefined;
  if (number === OptionNumber.Block2) return (into.block2 = readBlock(value, szxMax)) !== undefined;
  return undefined;
}

export function isEtag(value: Buffer): boolean {
  return value.length >= 1 && value.length <= 8;
}
