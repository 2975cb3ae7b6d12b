import { Malformed } from '../errors.js';
import { recordsMax } from './senml.js';
import { exact, formatLink, isIntegerOf, isObjectLink, type ResourceType, type Scalar } from '../values/value.js';

export type TlvKind = 'object-instance' | 'resource-instance' | 'multiple-resource' | 'resource';

/** LwM2M 1.1 core §7.4.3. Object instances and multiple resources hold children, the others a value. */
export interface TlvEntry {
  kind: TlvKind;
  id: number;
  value: Buffer;
  children: TlvEntry[];
}

const kinds: readonly TlvKind[] = ['object-instance', 'resource-instance', 'multiple-resource', 'resource'];

const hasChildren = (kind: TlvKind): boolean => kind === 'object-instance' || kind === 'multiple-resource';

/** Which kinds may be nested in which: TLV has no deeper levels than instance, resource, resource instance. */
const allowed: Record<TlvKind | 'root', readonly TlvKind[]> = {
  root: kinds,
  'object-instance': ['resource', 'multiple-resource'],
  'multiple-resource': ['resource-instance'],
  'resource-instance': [],
  resource: [],
};

const broken = (problem: string): Malformed => new Malformed('tlv', problem);

/** The number of entries at all levels that may still follow: an entry can be as short as two bytes. */
interface Budget {
  left: number;
}

const readEntries = (bytes: Buffer, parent: TlvKind | 'root', budget: Budget): TlvEntry[] => {
  const entries: TlvEntry[] = [];
  let at = 0;
  const take = (count: number): Buffer => {
    if (at + count > bytes.length) throw broken('cut off');
    at += count;
    return bytes.subarray(at - count, at);
  };
  while (at < bytes.length) {
    if (--budget.left < 0) throw broken(`has more than ${recordsMax} entries`);
    const head = take(1)[0] as number;
    const kind = kinds[head >> 6] as TlvKind;
    if (!allowed[parent].includes(kind)) throw broken(`${kind} inside ${parent}`);
    const id = take(head & 0x20 ? 2 : 1).readUIntBE(0, head & 0x20 ? 2 : 1);
    const lengthBytes = (head >> 3) & 0x03;
    const length = lengthBytes === 0 ? head & 0x07 : take(lengthBytes).readUIntBE(0, lengthBytes);
    const value = take(length);
    entries.push({ kind, id, value, children: hasChildren(kind) ? readEntries(value, kind, budget) : [] });
  }
  return entries;
};

/** Throws Malformed. */
export const decodeTlv = (bytes: Buffer): TlvEntry[] => readEntries(bytes, 'root', { left: recordsMax });

const uint = (value: number): Buffer => {
  const width = value < 0x100 ? 1 : value < 0x1_0000 ? 2 : 3;
  const bytes = Buffer.alloc(width);
  bytes.writeUIntBE(value, 0, width);
  return bytes;
};

const lengthMax = 0xff_ffff;
const idMax = 0xffff;

/** Throws Malformed for an id above 65535 or a value of 16 MiB or more. */
export const encodeTlv = (entries: readonly Pick<TlvEntry, 'kind' | 'id' | 'value' | 'children'>[]): Buffer =>
  Buffer.concat(
    entries.flatMap(({ kind, id, value, children }) => {
      const body = hasChildren(kind) ? encodeTlv(children) : value;
      if (!Number.isInteger(id) || id < 0 || id > idMax) throw broken(`${id} is no id`);
      if (body.length > lengthMax) throw broken(`a value is longer than ${lengthMax} bytes`);
      const length = body.length < 8 ? Buffer.alloc(0) : uint(body.length);
      const head =
        (kinds.indexOf(kind) << 6) |
        (id > 0xff ? 0x20 : 0) |
        (length.length << 3) |
        (length.length === 0 ? body.length : 0);
      return [Buffer.from([head]), uint(id), length, body];
    }),
  );

const readInteger = (bytes: Buffer, signed: boolean): number | bigint => {
  if (bytes.length === 8) return exact(signed ? bytes.readBigInt64BE() : bytes.readBigUInt64BE());
  if (![1, 2, 4].includes(bytes.length)) throw broken(`an integer of ${bytes.length} bytes`);
  return signed ? bytes.readIntBE(0, bytes.length) : bytes.readUIntBE(0, bytes.length);
};

const readFloat = (bytes: Buffer): number => {
  if (bytes.length === 4) return bytes.readFloatBE();
  if (bytes.length === 8) return bytes.readDoubleBE();
  throw broken(`a float of ${bytes.length} bytes`);
};

/** The value of a resource or resource instance, read as the type of its model. Throws Malformed. */
export const tlvScalar = (bytes: Buffer, type: ResourceType): Scalar => {
  switch (type) {
    case 'integer':
    case 'time':
      return readInteger(bytes, true);
    case 'unsigned':
      return readInteger(bytes, false);
    case 'float':
      return readFloat(bytes);
    case 'boolean':
      if (bytes.length !== 1 || (bytes[0] as number) > 1) throw broken('a boolean is one byte, 0 or 1');
      return bytes[0] === 1;
    case 'objlnk':
      if (bytes.length !== 4) throw broken(`an object link of ${bytes.length} bytes`);
      return { object: bytes.readUInt16BE(0), instance: bytes.readUInt16BE(2) };
    case 'string':
    case 'corelnk':
      return bytes.toString('utf8');
    case 'opaque':
    case 'none':
      return Buffer.from(bytes);
  }
};

/** The value fits into 64 bits. */
const integerBytes = (value: bigint, signed: boolean): Buffer => {
  const fits = (bits: number): boolean => (signed ? BigInt.asIntN(bits, value) : BigInt.asUintN(bits, value)) === value;
  const width = [1, 2, 4].find((count) => fits(8 * count)) ?? 8;
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(BigInt.asUintN(64, value));
  return bytes.subarray(8 - width);
};

const floatBytes = (value: number): Buffer => {
  const bytes = Buffer.alloc(Object.is(Math.fround(value), value) ? 4 : 8);
  if (bytes.length === 4) bytes.writeFloatBE(value);
  else bytes.writeDoubleBE(value);
  return bytes;
};

const numberBytes = (value: number | bigint, type: ResourceType): Buffer => {
  const typed = type === 'integer' || type === 'unsigned' || type === 'time';
  const whole = typeof value === 'bigint' || Number.isInteger(value);
  if (type === 'float' || (!typed && !whole)) return floatBytes(Number(value));
  if (!whole || !isIntegerOf(BigInt(value), type)) throw broken(`${value} is no ${type}`);
  return integerBytes(BigInt(value), type !== 'unsigned');
};

/** The value in as few bytes as possible. Throws Malformed for a number that its type cannot hold. */
export const scalarTlv = (value: Scalar, type: ResourceType): Buffer => {
  if (Buffer.isBuffer(value)) return value;
  if (typeof value === 'boolean') return Buffer.from([value ? 1 : 0]);
  if (typeof value === 'string') return Buffer.from(value, 'utf8');
  if (isObjectLink(value)) {
    if (value.object > idMax || value.instance > idMax) throw broken(`${formatLink(value)} is no object link`);
    const bytes = Buffer.alloc(4);
    bytes.writeUInt16BE(value.object, 0);
    bytes.writeUInt16BE(value.instance, 2);
    return bytes;
  }
  return numberBytes(value, type);
};
