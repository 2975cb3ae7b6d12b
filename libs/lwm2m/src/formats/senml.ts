import { Decoder, Encoder } from 'cbor-x';
import { Malformed } from '../errors.js';
import {
  exact,
  formatLink,
  isObjectLink,
  parseScalar,
  type ResourceType,
  type ResourceValue,
  type Scalar,
} from './value.js';

/** One SenML record with its base values applied (RFC 8428 §4.6). */
export interface SenmlRecord {
  name: string;
  value: Scalar | undefined;
  type: ResourceType;
  timeMs?: number;
}

/** JSON names by CBOR label (RFC 8428 table 4). */
const cborLabels = new Map<unknown, string>([
  [-1, 'bver'],
  [-2, 'bn'],
  [-3, 'bt'],
  [-4, 'bu'],
  [-5, 'bv'],
  [-6, 'bs'],
  [0, 'n'],
  [1, 'u'],
  [2, 'v'],
  [3, 'vs'],
  [4, 'vb'],
  [5, 's'],
  [6, 't'],
  [7, 'ut'],
  [8, 'vd'],
]);

const labelsOfNames = new Map([...cborLabels].map(([label, name]) => [name, label as number]));

/** A pack with more records than this is refused. */
const recordsMax = 10_000;

/** Times below this are relative to now (RFC 8428 §4.5.3). */
const relativeBelowSeconds = 2 ** 28;

type Raw = Record<string, unknown>;

const broken = (problem: string): Malformed => new Malformed('senml', problem);

const isRecord = (value: unknown): value is Raw => typeof value === 'object' && value !== null && !Array.isArray(value);

const asNumber = (value: unknown, name: string): number | undefined => {
  if (value === undefined) return undefined;
  if (typeof value === 'bigint') return Number(value);
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  throw broken(`${name} is no number`);
};

const asText = (value: unknown, name: string): string => {
  if (value === undefined) return '';
  if (typeof value === 'string') return value;
  throw broken(`${name} is no text`);
};

const numeric = (value: unknown, base: number): number | bigint => {
  if (typeof value === 'bigint') return exact(value + BigInt(Math.trunc(base)));
  const number = asNumber(value, 'v');
  return (number as number) + base;
};

const dataOf = (value: unknown): Buffer => {
  if (Buffer.isBuffer(value)) return Buffer.from(value);
  if (value instanceof Uint8Array) return Buffer.from(value);
  if (typeof value === 'string' && /^[A-Za-z0-9_+/=-]*$/.test(value)) return Buffer.from(value, 'base64url');
  throw broken('vd is no base64url');
};

const valueOf = (raw: Raw, base: number): [Scalar | undefined, ResourceType] => {
  const given = ['v', 'vs', 'vb', 'vd', 'vlo'].filter((name) => raw[name] !== undefined);
  if (given.length > 1) throw broken(`a record has ${given.join(' and ')}`);
  switch (given[0]) {
    case 'v': {
      const value = numeric(raw['v'], base);
      return [value, typeof value === 'bigint' || Number.isInteger(value) ? 'integer' : 'float'];
    }
    case 'vs':
      return [asText(raw['vs'], 'vs'), 'string'];
    case 'vb':
      if (typeof raw['vb'] !== 'boolean') throw broken('vb is no boolean');
      return [raw['vb'], 'boolean'];
    case 'vd':
      return [dataOf(raw['vd']), 'opaque'];
    case 'vlo':
      return [parseScalar(asText(raw['vlo'], 'vlo'), 'objlnk'), 'objlnk'];
    default:
      return [undefined, 'none'];
  }
};

const resolve = (pack: unknown, nowMs: number): SenmlRecord[] => {
  if (!Array.isArray(pack) || pack.length > recordsMax) throw broken(`is no array of at most ${recordsMax} records`);
  let baseName = '';
  let baseTime = 0;
  let baseValue = 0;
  return pack.map((raw: unknown) => {
    if (!isRecord(raw)) throw broken('a record is no object');
    if (raw['bn'] !== undefined) baseName = asText(raw['bn'], 'bn');
    baseTime = asNumber(raw['bt'], 'bt') ?? baseTime;
    baseValue = asNumber(raw['bv'], 'bv') ?? baseValue;
    const unknown = Object.keys(raw).find((name) => name.endsWith('_'));
    if (unknown) throw broken(`${unknown} must be understood and is not`);
    const [value, type] = valueOf(raw, baseValue);
    const time = baseTime + (asNumber(raw['t'], 't') ?? 0);
    const timed = raw['t'] !== undefined || baseTime !== 0;
    const timeMs = Math.round((Math.abs(time) < relativeBelowSeconds ? nowMs / 1000 + time : time) * 1000);
    return { name: baseName + asText(raw['n'], 'n'), value, type, ...(timed && { timeMs }) };
  });
};

export const decodeSenmlJson = (bytes: Buffer, nowMs = Date.now()): SenmlRecord[] => {
  let pack: unknown;
  try {
    pack = JSON.parse(bytes.toString('utf8'));
  } catch {
    throw broken('is no JSON');
  }
  return resolve(pack, nowMs);
};

const decoder = new Decoder({ mapsAsObjects: false, useRecords: false });
const encoder = new Encoder({ mapsAsObjects: false, useRecords: false, tagUint8Array: false });

/** One CBOR item. Throws Malformed, never anything else. */
export const decodeCborItem = (bytes: Buffer): unknown => {
  try {
    return decoder.decode(bytes) as unknown;
  } catch (error) {
    throw new Malformed('cbor', error instanceof Error ? error.message : 'cannot be read');
  }
};

export const encodeCborItem = (value: unknown): Buffer => Buffer.from(encoder.encode(value));

const named = (record: unknown): unknown => {
  if (!(record instanceof Map)) throw broken('a record is no map');
  return Object.fromEntries(
    [...record].map(([label, value]: [unknown, unknown]) => [cborLabels.get(label) ?? String(label), value]),
  );
};

export const decodeSenmlCbor = (bytes: Buffer, nowMs = Date.now()): SenmlRecord[] => {
  const pack = decodeCborItem(bytes);
  if (!Array.isArray(pack)) throw broken('is no array');
  return resolve(pack.map(named), nowMs);
};

const valueMember = (value: Scalar): [string, unknown] => {
  if (typeof value === 'string') return ['vs', value];
  if (typeof value === 'boolean') return ['vb', value];
  if (Buffer.isBuffer(value)) return ['vd', value];
  return isObjectLink(value) ? ['vlo', formatLink(value)] : ['v', value];
};

const records = (values: readonly ResourceValue[]): Raw[] =>
  values.map(({ path, value, timeMs }) => ({
    n: path,
    ...(timeMs !== undefined && { t: timeMs / 1000 }),
    ...Object.fromEntries([valueMember(value)]),
  }));

const jsonReady = (_key: string, value: unknown): unknown => {
  if (typeof value === 'bigint') return Number(value);
  const data = value as { type?: string; data?: number[] } | null;
  return data?.type === 'Buffer' && Array.isArray(data.data) ? Buffer.from(data.data).toString('base64url') : value;
};

export const encodeSenmlJson = (values: readonly ResourceValue[]): Buffer =>
  Buffer.from(JSON.stringify(records(values), jsonReady));

export const encodeSenmlCbor = (values: readonly ResourceValue[]): Buffer =>
  encodeCborItem(
    records(values).map(
      (record) => new Map(Object.entries(record).map(([name, value]) => [labelsOfNames.get(name) ?? name, value])),
    ),
  );
