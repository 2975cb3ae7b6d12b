export interface RecordFields {
  key?: string | Buffer | null;
  value: string | Buffer | null;
  headers?: Record<string, string | Buffer | null | undefined | readonly (string | Buffer | null)[]>;
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

const varInt = (value: number): string => {
  let rest = (value << 1) >>> 0;
  let text = '';
  while (rest > 0x7f) {
    text += String.fromCharCode((rest & 0x7f) | 0x80);
    rest >>>= 7;
  }
  return text + String.fromCharCode(rest);
};

/** A header as it is written, one character for each byte, and the value that it had the last time. */
interface CachedHeader {
  name: string;
  nameText: string;
  value: string;
  text: string;
}

/** The headers of the previous record, in order: most have the same names in the next record, and many the same values. */
const previousHeaders: CachedHeader[] = [];
const cachedHeadersMax = 100;

const ascii = /^[\x00-\x7f]*$/;

const newHeader = (nth: number, name: string): CachedHeader | undefined => {
  if (!ascii.test(name)) return undefined;
  const nameText = varInt(name.length) + name;
  const header = { name, nameText, value: '', text: nameText + varInt(0) };
  if (nth < cachedHeadersMax) previousHeaders[nth] = header;
  return header;
};

const headerNamed = (nth: number, name: string): CachedHeader | undefined => {
  const known = previousHeaders[nth];
  return known?.name === name ? known : newHeader(nth, name);
};

/** undefined for bytes, and for text that is not ASCII. */
const headerText = (nth: number, name: string, value: unknown): string | undefined => {
  const header = headerNamed(nth, name);
  if (header?.value === value) return header?.text;
  if (!header || typeof value !== 'string' || !ascii.test(value)) return undefined;
  header.value = value;
  return (header.text = header.nameText + varInt(value.length) + value);
};

const noHeaders = Object.freeze({});

/** All headers with their number in front, one character for each byte, to be written at once. */
const headersText = (headers: NonNullable<RecordFields['headers']>): string | undefined => {
  let count = 0;
  let text = '';
  // Makes no list of the names, and looks none of them up: both cost time that profiles of values showed.
  for (const name in headers) {
    const one = headerText(count++, name, headers[name]);
    if (one === undefined) return undefined;
    text += one;
  }
  return varInt(count) + text;
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

/** The same for headers of all kinds. */
const headersBytes = (headers: NonNullable<RecordFields['headers']>): Buffer => {
  const fields = flat(headers);
  const lengths = fields.map(lengthOf);
  const count = fields.length / 2;
  const size = lengths.reduce((sum, length) => sum + sizeOfVarInt(length) + Math.max(0, length), sizeOfVarInt(count));
  const buffer = Buffer.allocUnsafe(size);
  let at = writeVarInt(buffer, 0, count);
  fields.forEach((field, n) => {
    at = writeField(buffer, at, field, lengths[n] ?? -1);
  });
  return buffer;
};

/** A record whose size is known before its first byte is written. */
export interface MeasuredRecord {
  fields: RecordFields;
  keyLength: number;
  valueLength: number;
  headers: string | Buffer;
  /** Key, value and headers, when each is a text of one byte for each character: written at once. */
  text: string | undefined;
  offsetDelta: number;
  /** Milliseconds. */
  timestampDelta: number;
  /** Bytes after the length of the record. */
  bodyBytes: number;
  bytes: number;
}

const recordText = (
  { key, value }: RecordFields,
  keyLength: number,
  valueLength: number,
  headers: string,
): string | undefined => {
  if (typeof key !== 'string' || typeof value !== 'string') return undefined;
  // As many bytes as characters: ASCII.
  if (key.length !== keyLength || value.length !== valueLength) return undefined;
  return varInt(keyLength) + key + varInt(valueLength) + value + headers;
};

/** Throws RangeError when the timestamps of one batch are too far apart. */
export const measureRecord = (fields: RecordFields, offsetDelta: number, timestampDelta: number): MeasuredRecord => {
  if (timestampDelta !== (timestampDelta | 0)) throw new RangeError('timestamps of one request are weeks apart');
  const { key, value, headers: given = noHeaders } = fields;
  const headers = headersText(given) ?? headersBytes(given);
  const keyLength = lengthOf(key);
  const valueLength = lengthOf(value);
  const bodyBytes =
    1 +
    sizeOfVarInt(timestampDelta) +
    sizeOfVarInt(offsetDelta) +
    sizeOfVarInt(keyLength) +
    Math.max(0, keyLength) +
    sizeOfVarInt(valueLength) +
    Math.max(0, valueLength) +
    headers.length;
  const bytes = sizeOfVarInt(bodyBytes) + bodyBytes;
  const text = typeof headers === 'string' ? recordText(fields, keyLength, valueLength, headers) : undefined;
  return { fields, keyLength, valueLength, headers, text, offsetDelta, timestampDelta, bodyBytes, bytes };
};

/** A record of format v2 (KIP-98). Returns the offset after it. */
export const writeRecord = (buffer: Buffer, start: number, record: MeasuredRecord): number => {
  const { fields, headers, text } = record;
  let at = writeVarInt(buffer, start, record.bodyBytes);
  buffer[at++] = 0;
  at = writeVarInt(buffer, at, record.timestampDelta);
  at = writeVarInt(buffer, at, record.offsetDelta);
  if (text !== undefined) return at + buffer.write(text, at, 'latin1');
  at = writeField(buffer, at, fields.key, record.keyLength);
  at = writeField(buffer, at, fields.value, record.valueLength);
  if (typeof headers === 'string') buffer.write(headers, at, 'latin1');
  else headers.copy(buffer, at);
  return at + headers.length;
};
