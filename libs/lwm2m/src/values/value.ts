import { Malformed } from '../errors.js';

/** LwM2M 1.1 core appendix C. `none`: executable. */
export type ResourceType =
  'string' | 'integer' | 'unsigned' | 'float' | 'boolean' | 'opaque' | 'time' | 'objlnk' | 'corelnk' | 'none';

export interface ObjectLink {
  object: number;
  instance: number;
}

/** `bigint` only where a number cannot hold the value exactly. */
export type Scalar = string | number | bigint | boolean | Buffer | ObjectLink;

/** The value of one resource (instance), with its time when the format carries one. */
export interface ResourceValue {
  path: string;
  value: Scalar;
  type: ResourceType;
  /** Milliseconds since the epoch. */
  timeMs?: number;
}

export const isObjectLink = (value: Scalar): value is ObjectLink =>
  typeof value === 'object' && !Buffer.isBuffer(value);

/** The type of a value from a format that tells numbers, texts and bytes apart. */
export const typeOfScalar = (value: Scalar): ResourceType => {
  if (typeof value === 'string') return 'string';
  if (typeof value === 'boolean') return 'boolean';
  if (Buffer.isBuffer(value)) return 'opaque';
  return typeof value === 'bigint' || Number.isInteger(value) ? 'integer' : 'float';
};

/** A number if it can hold the value exactly, or else a bigint. */
export const exact = (value: bigint): number | bigint =>
  value >= BigInt(Number.MIN_SAFE_INTEGER) && value <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(value) : value;

const parseLink = (text: string): ObjectLink => {
  const match = /^(\d{1,5}):(\d{1,5})$/.exec(text);
  if (!match || Number(match[1]) > 65_535 || Number(match[2]) > 65_535)
    throw new Malformed('text', `"${text.slice(0, 40)}" is no object link`);
  return { object: Number(match[1]), instance: Number(match[2]) };
};

export const formatLink = ({ object, instance }: ObjectLink): string => `${object}:${instance}`;

const integerRanges = {
  signed: [-(2n ** 63n), 2n ** 63n - 1n],
  unsigned: [0n, 2n ** 64n - 1n],
} as const;

/** Whether the value fits into 64 bits: signed for `integer` and `time`, unsigned for `unsigned`. */
export const isIntegerOf = (value: bigint, type: ResourceType): boolean => {
  const [min, max] = integerRanges[type === 'unsigned' ? 'unsigned' : 'signed'];
  return value >= min && value <= max;
};

const parseInteger = (text: string, type: ResourceType): number | bigint => {
  const value = /^[+-]?\d{1,20}$/.test(text) ? BigInt(text.replace(/^\+/, '')) : undefined;
  if (value === undefined || !isIntegerOf(value, type))
    throw new Malformed('text', `"${text.slice(0, 40)}" is no ${type}`);
  return exact(value);
};

/** Matches each digit in only one way, because the text is untrusted and may be long. */
const floatPattern = /^[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?$/;

const parseFloat64 = (text: string): number => {
  if (!floatPattern.test(text) || !Number.isFinite(Number(text)))
    throw new Malformed('text', `"${text.slice(0, 40)}" is no number`);
  return Number(text);
};

/** Base64 with or without its padding. Undefined when decoding would lose some of the text. */
export const base64Bytes = (text: string, alphabet: RegExp): Buffer | undefined => {
  const end = text.endsWith('==') ? -2 : text.endsWith('=') ? -1 : text.length;
  const letters = text.slice(0, end);
  const padded = letters.length !== text.length;
  if (!alphabet.test(letters) || letters.length % 4 === 1 || (padded && text.length % 4 !== 0)) return undefined;
  return Buffer.from(letters, 'base64');
};

const parseOpaque = (text: string): Buffer => {
  const bytes = base64Bytes(text, /^[A-Za-z0-9+/]*$/);
  if (!bytes) throw new Malformed('text', 'opaque value is not base64');
  return bytes;
};

const parseBoolean = (text: string): boolean => {
  if (text === '1' || text === 'true') return true;
  if (text === '0' || text === 'false') return false;
  throw new Malformed('text', `"${text.slice(0, 40)}" is no boolean`);
};

/** Reads the text form of a value (LwM2M 1.1 core §7.4.1). Throws Malformed. */
export const parseScalar = (text: string, type: ResourceType): Scalar => {
  switch (type) {
    case 'integer':
    case 'unsigned':
    case 'time':
      return parseInteger(text, type);
    case 'float':
      return parseFloat64(text);
    case 'boolean':
      return parseBoolean(text);
    case 'opaque':
      return parseOpaque(text);
    case 'objlnk':
      return parseLink(text);
    case 'string':
    case 'corelnk':
    case 'none':
      return text;
  }
};

/** The text form of a value: booleans as 1 and 0, opaque as base64. */
export const formatScalar = (value: Scalar): string => {
  if (typeof value === 'boolean') return value ? '1' : '0';
  if (Buffer.isBuffer(value)) return value.toString('base64');
  return isObjectLink(value) ? formatLink(value) : String(value);
};
