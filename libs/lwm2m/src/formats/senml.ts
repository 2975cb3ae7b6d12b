import { Malformed } from '../errors.js';
import { type CborItem, decodeCborItem } from './cbor.js';
import { parseJson } from './json.js';
import { base64Bytes, exact, parseScalar, type ResourceType, type Scalar } from '../values/value.js';

/** One SenML record with its base values applied (RFC 8428 §4.6). */
export interface SenmlRecord {
  name: string;
  value: Scalar | undefined;
  type: ResourceType;
  timeMs?: number;
}

/** JSON names by CBOR label (RFC 8428 table 4). */
const cborLabels: ReadonlyMap<unknown, string> = new Map<unknown, string>([
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

/** CBOR labels by JSON name. */
export const labelsOfNames = new Map([...cborLabels].map(([label, name]) => [name, label as number]));

/** A pack with more records than this is refused. */
export const recordsMax = 10_000;

/** RFC 8428 §4.4. */
const versionMax = 10;

/** The largest time that a Date can hold. */
const timeMsMax = 8.64e15;

/** The range of an integer in CBOR. */
const integerMin = -(2n ** 64n);
const integerMax = 2n ** 64n - 1n;

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

const tooLarge = (): Malformed => broken('v and bv are too large');

const isExactInteger = (value: unknown): value is number | bigint =>
  typeof value === 'bigint' || Number.isSafeInteger(value);

const numeric = (value: unknown, base: number | bigint): number | bigint => {
  // Adding 0 would change -0.
  if (base === 0 && typeof value === 'number' && Number.isFinite(value)) return value;
  if (isExactInteger(value) && isExactInteger(base)) {
    const sum = BigInt(value) + BigInt(base);
    // Such a sum could be read, but not be written again.
    if (sum < integerMin || sum > integerMax) throw tooLarge();
    return exact(sum);
  }
  const sum = (asNumber(value, 'v') as number) + Number(base);
  if (!Number.isFinite(sum)) throw tooLarge();
  return sum;
};

const dataOf = (value: unknown): Buffer => {
  if (Buffer.isBuffer(value)) return Buffer.from(value);
  const bytes = typeof value === 'string' ? base64Bytes(value, /^[A-Za-z0-9_+/-]*$/) : undefined;
  if (!bytes) throw broken('vd is no base64url');
  return bytes;
};

const valueOf = (raw: Raw, base: number | bigint, removes: boolean): [Scalar | undefined, ResourceType] => {
  const given = ['v', 'vs', 'vb', 'vd', 'vlo'].filter((name) => raw[name] !== undefined);
  if (given.length > 1) throw broken(`a record has ${given.join(' and ')}`);
  switch (given[0]) {
    case 'v': {
      if (removes && raw['v'] === null) return [undefined, 'none'];
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

/** Milliseconds since 1970 as a Date can hold them. Throws Malformed. */
export const timeMsOf = (seconds: number, format: string): number => {
  const timeMs = Math.round(seconds * 1000);
  if (!(Math.abs(timeMs) <= timeMsMax)) throw new Malformed(format, 'a time is beyond the range of dates');
  return timeMs;
};

const checkFields = (raw: Raw): void => {
  const mandatory = Object.keys(raw).find((name) => name.endsWith('_'));
  if (mandatory) throw broken(`${mandatory.slice(0, 40)} must be understood and is not`);
  const version = asNumber(raw['bver'], 'bver');
  if (version !== undefined && version > versionMax) throw broken(`version ${version} is not supported`);
};

const resolve = (pack: unknown, nowMs: number, removes: boolean): SenmlRecord[] => {
  if (!Array.isArray(pack) || pack.length > recordsMax) throw broken(`is no array of at most ${recordsMax} records`);
  let baseName = '';
  let baseTime = 0;
  let baseValue: number | bigint = 0;
  return pack.map((raw: unknown) => {
    if (!isRecord(raw)) throw broken('a record is no object');
    checkFields(raw);
    if (raw['bn'] !== undefined) baseName = asText(raw['bn'], 'bn');
    baseTime = asNumber(raw['bt'], 'bt') ?? baseTime;
    baseValue = typeof raw['bv'] === 'bigint' ? raw['bv'] : (asNumber(raw['bv'], 'bv') ?? baseValue);
    const [value, type] = valueOf(raw, baseValue, removes);
    const name = baseName + asText(raw['n'], 'n');
    const time = baseTime + (asNumber(raw['t'], 't') ?? 0);
    if (raw['t'] === undefined && baseTime === 0) return { name, value, type };
    return { name, value, type, timeMs: timeMsOf(time < relativeBelowSeconds ? nowMs / 1000 + time : time, 'senml') };
  });
};

/**
 * The records of a pack in JSON, with their base values applied. `removes`: the payload is SenML-ETCH, where `"v": null`
 * removes what the record names (RFC 8790 §3.2). Throws Malformed.
 */
export const decodeSenmlJson = (bytes: Buffer, nowMs = Date.now(), removes = false): SenmlRecord[] =>
  resolve(parseJson(bytes, 'senml'), nowMs, removes);

const nameOf = (label: CborItem): string => {
  if (typeof label !== 'string' && typeof label !== 'number') throw broken('a label is neither text nor number');
  return cborLabels.get(label) ?? String(label);
};

const named = (record: CborItem): Raw => {
  if (!(record instanceof Map)) throw broken('a record is no map');
  return Object.fromEntries([...record].map(([label, value]) => [nameOf(label), value]));
};

/** The records of a pack in CBOR, with base values applied. `removes`: see `decodeSenmlJson`. Throws Malformed. */
export const decodeSenmlCbor = (bytes: Buffer, nowMs = Date.now(), removes = false): SenmlRecord[] => {
  const pack = decodeCborItem(bytes);
  if (!Array.isArray(pack)) throw broken('is no array');
  return resolve(pack.map(named), nowMs, removes);
};
