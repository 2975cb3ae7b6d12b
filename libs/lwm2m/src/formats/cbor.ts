import { Malformed } from '../errors.js';
import { exact } from '../values/value.js';

/**
 * The subset of CBOR (RFC 8949) that LwM2M uses: no tags except times, which become seconds since 1970, and decimal fractions, which
 * become numbers (RFC 8428 §6).
 */
export type CborItem =
  string | number | bigint | boolean | null | undefined | Buffer | CborItem[] | Map<CborItem, CborItem>;

/** A SenML pack is an array of maps of values; no LwM2M payload is nested more deeply. */
const depthMax = 8;

/**
 * A pack of 10,000 SenML records has about half as many items. A message of 1 MiB could have a million, which would take too
 * long to read.
 */
const itemsMax = 200_000;

const broken = (problem: string): Malformed => new Malformed('cbor', problem);

const major = { unsigned: 0, negative: 1, bytes: 2, text: 3, array: 4, map: 5, tag: 6, simple: 7 } as const;
const indefinite = 31;
const stop = 0xff;

const halfFloat = (bits: number): number => {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 0x1f;
  const fraction = bits & 0x3ff;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  if (exponent === 31) return fraction ? NaN : sign * Infinity;
  return sign * (1024 + fraction) * 2 ** (exponent - 25);
};

const isInteger = (item: CborItem | undefined): item is number | bigint =>
  typeof item === 'bigint' || Number.isInteger(item);

/** `[exponent, mantissa]` to the base 10 (RFC 8949 §3.4.4), as the nearest number that JavaScript can represent. */
const decimalFraction = (item: CborItem): number => {
  const [exponent, mantissa] = Array.isArray(item) && item.length === 2 ? item : [];
  const value = isInteger(exponent) && isInteger(mantissa) ? Number(`${mantissa}e${exponent}`) : NaN;
  if (!Number.isFinite(value)) throw broken('has a decimal fraction that is no number');
  return value;
};

const valueOfTag = (tag: number | bigint, item: CborItem): number | bigint => {
  if (tag === 4) return decimalFraction(item);
  if (tag === 1 && (typeof item === 'number' || typeof item === 'bigint')) return item;
  const seconds =
    tag === 0 && typeof item === 'string' && /^\d{4}-\d\d-\d\dT/.test(item) ? Date.parse(item) / 1000 : NaN;
  if (Number.isNaN(seconds)) throw broken(`tag ${tag} is not supported here`);
  return seconds;
};

/** Memory grows with the bytes received, never with a declared length. */
class Reader {
  private at = 0;
  private items = 0;

  constructor(private readonly bytes: Buffer) {}

  whole(): CborItem {
    const item = this.item(0);
    if (this.at < this.bytes.length) throw broken('has bytes behind its end');
    return item;
  }

  private item(depth: number): CborItem {
    if (depth > depthMax) throw broken('is nested too deep');
    this.countItem();
    const head = this.byte();
    const kind = head >> 5;
    const info = head & 0x1f;
    if (kind === major.simple) return this.simple(info);
    if (info === indefinite) return this.indefinite(kind, depth);
    const argument = this.argument(info);
    if (kind === major.unsigned) return argument;
    if (kind === major.negative) return exact(-1n - BigInt(argument));
    if (kind === major.bytes) return Buffer.from(this.takeBytes(argument));
    if (kind === major.text) return this.takeBytes(argument).toString('utf8');
    if (kind === major.tag) return valueOfTag(argument, this.item(depth + 1));
    return this.container(kind, argument, depth);
  }

  private countItem(): void {
    if (++this.items > itemsMax) throw broken(`has more than ${itemsMax} items`);
  }

  private byte(): number {
    return this.takeBytes(1)[0] as number;
  }

  private takeBytes(count: number | bigint): Buffer {
    if (count > this.bytes.length - this.at) throw broken('cut off');
    this.at += Number(count);
    return this.bytes.subarray(this.at - Number(count), this.at);
  }

  private argument(info: number): number | bigint {
    if (info < 24) return info;
    if (info === 24) return this.byte();
    if (info === 25) return this.takeBytes(2).readUInt16BE();
    if (info === 26) return this.takeBytes(4).readUInt32BE();
    if (info === 27) return exact(this.takeBytes(8).readBigUInt64BE());
    throw broken(`has a head of the reserved form ${info}`);
  }

  private simple(info: number): CborItem {
    if (info === 20 || info === 21) return info === 21;
    if (info === 22) return null;
    if (info === 23) return undefined;
    if (info === 25) return halfFloat(this.takeBytes(2).readUInt16BE());
    if (info === 26) return this.takeBytes(4).readFloatBE();
    if (info === 27) return this.takeBytes(8).readDoubleBE();
    throw broken(`has the simple value ${info}`);
  }

  private container(kind: number, count: number | bigint, depth: number): CborItem {
    if (count > this.bytes.length - this.at) throw broken('cut off');
    let left = Number(count);
    return this.members(kind, depth, () => left-- === 0);
  }

  private indefinite(kind: number, depth: number): CborItem {
    const ended = (): boolean => {
      if (this.bytes[this.at] !== stop) return false;
      this.at++;
      return true;
    };
    if (kind === major.array || kind === major.map) return this.members(kind, depth, ended);
    if (kind !== major.bytes && kind !== major.text) throw broken('has a head of the reserved form 31');
    const chunks: Buffer[] = [];
    while (!ended()) {
      this.countItem();
      const head = this.byte();
      if (head >> 5 !== kind) throw broken('a string has a part of another kind');
      chunks.push(this.takeBytes(this.argument(head & 0x1f)));
    }
    return kind === major.bytes ? Buffer.concat(chunks) : Buffer.concat(chunks).toString('utf8');
  }

  private members(kind: number, depth: number, ended: () => boolean): CborItem {
    if (kind === major.array) {
      const array: CborItem[] = [];
      while (!ended()) array.push(this.item(depth + 1));
      return array;
    }
    const map = new Map<CborItem, CborItem>();
    while (!ended()) {
      const key = this.item(depth + 1);
      if (map.has(key)) throw broken('a map has a key twice');
      map.set(key, this.item(depth + 1));
    }
    return map;
  }
}

/** Reads exactly one CBOR item. Throws only Malformed. */
export const decodeCborItem = (bytes: Buffer): CborItem => new Reader(bytes).whole();

const head = (kind: number, argument: bigint): Buffer => {
  const [info, width] = argument < 0x100n ? [24, 1] : argument < 0x1_0000n ? [25, 2] : [26, 4];
  if (argument < 24n) return Buffer.from([(kind << 5) | Number(argument)]);
  const bytes = Buffer.alloc(argument < 0x1_0000_0000n ? 1 + width : 9);
  bytes[0] = (kind << 5) | (bytes.length === 9 ? 27 : info);
  if (bytes.length === 9) bytes.writeBigUInt64BE(argument, 1);
  else bytes.writeUIntBE(Number(argument), 1, width);
  return bytes;
};

const encodeInteger = (value: bigint): Buffer => {
  if (value >= 2n ** 64n || value < -(2n ** 64n)) throw broken(`${value} has more than 64 bits`);
  return value < 0n ? head(major.negative, -1n - value) : head(major.unsigned, value);
};

const encodeNumber = (value: number): Buffer => {
  if (Number.isSafeInteger(value) && !Object.is(value, -0)) return encodeInteger(BigInt(value));
  const short = Object.is(Math.fround(value), value);
  const bytes = Buffer.alloc(short ? 5 : 9);
  bytes[0] = (major.simple << 5) | (short ? 26 : 27);
  if (short) bytes.writeFloatBE(value, 1);
  else bytes.writeDoubleBE(value, 1);
  return bytes;
};

const sized = (kind: number, count: number, parts: readonly Buffer[]): Buffer =>
  Buffer.concat([head(kind, BigInt(count)), ...parts]);

/** The shortest form, floats in 32 or 64 bits. Throws Malformed for an integer of more than 64 bits. */
export const encodeCborItem = (item: CborItem): Buffer => {
  if (typeof item === 'number') return encodeNumber(item);
  if (typeof item === 'bigint') return encodeInteger(item);
  if (typeof item === 'boolean') return Buffer.from([item ? 0xf5 : 0xf4]);
  if (item === null || item === undefined) return Buffer.from([item === null ? 0xf6 : 0xf7]);
  if (typeof item === 'string') return sized(major.text, Buffer.byteLength(item), [Buffer.from(item)]);
  if (Buffer.isBuffer(item)) return sized(major.bytes, item.length, [item]);
  if (Array.isArray(item)) return sized(major.array, item.length, item.map(encodeCborItem));
  return sized(major.map, item.size, [...item].flat().map(encodeCborItem));
};
