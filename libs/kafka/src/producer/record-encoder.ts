import { createRequire } from 'node:module';

/** A record as kafkajs hands it to its encoder. */
interface RecordFields {
  offsetDelta?: number;
  /** Milliseconds; below 2^31 between the messages of one request. */
  timestampDelta?: number;
  key: string | Buffer | null;
  value: string | Buffer | null;
  headers?: Record<string, string | Buffer | null | readonly (string | Buffer | null)[]>;
}

/** What kafkajs' other encoders read of a record. */
interface EncodedRecord {
  buf: Buffer;
  buffer: Buffer;
}

type Field = string | Buffer | null | undefined;

const sizeOfVarInt = (value: number): number => {
  let rest = ((value << 1) ^ (value >> 31)) >>> 0;
  let size = 1;
  while (rest > 0x7f) {
    rest >>>= 7;
    size++;
  }
  return size;
};

const lengthOf = (field: Field): number => {
  if (field === null || field === undefined) return -1;
  return typeof field === 'string' ? Buffer.byteLength(field) : field.length;
};

const writeVarInt = (buffer: Buffer, at: number, value: number): number => {
  let rest = ((value << 1) ^ (value >> 31)) >>> 0;
  while (rest > 0x7f) {
    buffer[at++] = (rest & 0x7f) | 0x80;
    rest >>>= 7;
  }
  buffer[at++] = rest;
  return at;
};

const writeField = (buffer: Buffer, at: number, field: Field, length: number): number => {
  const start = writeVarInt(buffer, at, length);
  if (length <= 0) return start;
  if (typeof field === 'string') buffer.write(field, start, length, 'utf8');
  else (field as Buffer).copy(buffer, start);
  return start + length;
};

/** Name and value of each header, flat; a header may have several values. */
const flat = (headers: NonNullable<RecordFields['headers']>): Field[] => {
  const fields: Field[] = [];
  for (const name of Object.keys(headers)) {
    const value = headers[name];
    if (Array.isArray(value)) for (const one of value as Field[]) fields.push(name, one);
    else fields.push(name, value as Field);
  }
  return fields;
};

/** Lengths of all fields, and the size of the record behind its own length. */
const measure = (fields: readonly Field[], fixed: number): { lengths: number[]; size: number } => {
  let size = fixed;
  const lengths = fields.map((field) => {
    const length = lengthOf(field);
    size += sizeOfVarInt(length) + Math.max(0, length);
    return length;
  });
  return { lengths, size };
};

/**
 * A record of format v2 (KIP-98), in one piece: its size is known before the first byte is written. Throws RangeError
 * when the timestamps of one request are too far apart.
 */
export const encodeRecord = ({
  offsetDelta = 0,
  timestampDelta = 0,
  key,
  value,
  headers = {},
}: RecordFields): EncodedRecord => {
  if (timestampDelta !== (timestampDelta | 0)) throw new RangeError('timestamps of one request are weeks apart');
  const fields: Field[] = [key, value, ...flat(headers)];
  const headerCount = (fields.length - 2) / 2;
  const fixed = 1 + sizeOfVarInt(timestampDelta) + sizeOfVarInt(offsetDelta) + sizeOfVarInt(headerCount);
  const { lengths, size } = measure(fields, fixed);
  const buffer = Buffer.allocUnsafe(sizeOfVarInt(size) + size);
  let at = writeVarInt(buffer, 0, size);
  buffer[at++] = 0;
  at = writeVarInt(buffer, at, timestampDelta);
  at = writeVarInt(buffer, at, offsetDelta);
  fields.forEach((field, n) => {
    if (n === 2) at = writeVarInt(buffer, at, headerCount);
    at = writeField(buffer, at, field, lengths[n] ?? -1);
  });
  if (headerCount === 0) writeVarInt(buffer, at, 0);
  return { buf: buffer, buffer };
};

/**
 * kafkajs makes a zeroed buffer of 512 bytes for every header of a record: measured, a third of what a value from a
 * device costs. Its requests load this module when the first one is made; from here on they get ours.
 */
const require = createRequire(import.meta.url);
const path = require.resolve('kafkajs/src/protocol/recordBatch/record/v0/index.js');
require(path);
const loaded = require.cache[path];
if (!loaded) throw new Error('kafkajs keeps its encoder elsewhere than in the version this was written for');
loaded.exports = encodeRecord;
