import { Malformed, UnsupportedFormat } from '../errors.js';
import { type CborItem, decodeCborItem, encodeCborItem } from './cbor.js';
import { contentFormat } from './content-format.js';
import { labelsOfNames, recordsMax } from './senml.js';

const { senmlJson, senmlCbor, senmlEtchJson, senmlEtchCbor, lwm2mCbor } = contentFormat;

const packs: readonly number[] = [senmlJson, senmlCbor, senmlEtchJson, senmlEtchCbor];

/** Without a limit, a short base name would make a large payload of a small one. */
const nameCharactersMax = 512;

/** The same for the other base values, which are copied into each record: units are short, and the rest are numbers. */
const baseCharactersMax = 64;

/** Whether payloads of the format name the paths of their values; behind a gateway, these paths begin with the device's prefix. */
export const namesPaths = (format: number): boolean => packs.includes(format) || format === lwm2mCbor;

type Label = string | number;
type Pack = Map<CborItem, CborItem>[];

/** The labels of a record, in JSON as texts and in CBOR as numbers (RFC 8428 table 4). */
interface Labels {
  baseName: Label;
  name: Label;
  /** The other base fields, which apply to the records that follow. */
  bases: readonly Label[];
}

const baseFields = ['bver', 'bt', 'bu', 'bv', 'bs'];
const jsonLabels: Labels = { baseName: 'bn', name: 'n', bases: baseFields };
const cborPackLabels: Labels = {
  baseName: labelsOfNames.get('bn')!,
  name: labelsOfNames.get('n')!,
  bases: baseFields.map((name) => labelsOfNames.get(name)!),
};

const isJson = (format: number): boolean => format === senmlJson || format === senmlEtchJson;

const labelsOf = (format: number): Labels => (isJson(format) ? jsonLabels : cborPackLabels);

/** Fields that may hold an integer of 64 bits, which has at most 20 digits. */
const integerFields = new Set(['v', 'bv', 's', 'bs']);
const longInteger = /^-?\d{16,20}$/;
const longDigits = /\d{16}/;

const { rawJSON, isRawJSON } = JSON as JSON & {
  rawJSON: (text: string) => unknown;
  isRawJSON?: (value: unknown) => boolean;
};

/**
 * Writes an integer that a JavaScript number cannot hold with the digits that were read. Node 20 passes no `context`, so
 * the last digits of such integers change there.
 */
const withDigits = (name: string, value: unknown, context?: { source?: string }): unknown => {
  const source = context?.source ?? '';
  const isLong = typeof value === 'number' && !Number.isSafeInteger(value) && longInteger.test(source);
  return isLong && integerFields.has(name) ? rawJSON(source) : value;
};

const parsed = (bytes: Buffer): unknown => {
  const text = bytes.toString('utf8');
  try {
    // JSON.parse takes several times as long with a function.
    return longDigits.test(text) ? JSON.parse(text, withDigits) : JSON.parse(text);
  } catch {
    throw new Malformed('senml', 'is no JSON');
  }
};

const readPack = (format: number, bytes: Buffer): Pack => {
  const pack = isJson(format) ? parsed(bytes) : decodeCborItem(bytes);
  if (!Array.isArray(pack) || pack.length > recordsMax)
    throw new Malformed('senml', `is no array of at most ${recordsMax} records`);
  return pack.map((record: unknown) => {
    if (record instanceof Map) return record as Pack[number];
    if (typeof record !== 'object' || record === null || Array.isArray(record) || Buffer.isBuffer(record))
      throw new Malformed('senml', 'a record is no object');
    return new Map(Object.entries(record as Record<string, CborItem>));
  });
};

const writePack = (format: number, pack: Pack): Buffer =>
  isJson(format) ? Buffer.from(JSON.stringify(pack.map((record) => Object.fromEntries(record)))) : encodeCborItem(pack);

const textOf = (item: CborItem): string => {
  if (item === undefined) return '';
  if (typeof item === 'string') return item;
  throw new Malformed('senml', 'a name is no text');
};

/** `/d01/3303/0` has the prefix `d01`, `/3303/0` has none. */
const dividedName = (name: string): [prefix: string, path: string] => {
  const end = name.indexOf('/', 1);
  const first = end < 0 ? name.slice(1) : name.slice(1, end);
  if (!name.startsWith('/') || /^\d*$/.test(first)) return ['', name];
  return [first, end < 0 ? '/' : name.slice(end)];
};

const mapOf = (bytes: Buffer): Map<CborItem, CborItem> => {
  const root = decodeCborItem(bytes);
  if (root instanceof Map) return root as Map<CborItem, CborItem>;
  throw new Malformed('lwm2m-cbor', 'is no map');
};

const refuse = (format: number): never => {
  throw new UnsupportedFormat(format);
};

/** The payload for a device behind a gateway: each path with its prefix. Throws Malformed or UnsupportedFormat. */
export const addPrefix = (format: number, bytes: Buffer, prefix: string): Buffer => {
  if (format === lwm2mCbor) return encodeCborItem(new Map([[prefix, mapOf(bytes)]]));
  if (!packs.includes(format)) return refuse(format);
  const { baseName } = labelsOf(format);
  const pack = readPack(format, bytes).map((record, n) =>
    n === 0 || record.has(baseName)
      ? new Map([...record, [baseName, `/${prefix}${textOf(record.get(baseName))}`]])
      : record,
  );
  return writePack(format, pack);
};

const baseValue = (value: CborItem): CborItem => {
  const isShort = typeof value === 'object' ? isRawJSON?.(value) === true : String(value).length <= baseCharactersMax;
  if (!isShort) throw new Malformed('senml', 'a base value is neither a number nor a short text');
  return value;
};

/** Whether a record only sets base values for those that follow: a name that is empty or ends with a slash is no path. */
const setsBasesOnly = ({ baseName, bases }: Labels, record: Pack[number], name: string): boolean =>
  (name === '' || name.endsWith('/')) &&
  [...record.keys()].every((label) => label === baseName || bases.includes(label as Label));

/** Makes the order of the records irrelevant: each gets the base values that apply to it, and its complete name. */
const splitPack = (format: number, pack: Pack, divide = dividedName): Map<string, Pack> => {
  const labels = labelsOf(format);
  const { baseName, name, bases } = labels;
  const parts = new Map<string, Pack>();
  const current = new Map<CborItem, CborItem>();
  let base = '';
  for (const record of pack) {
    if (record.has(baseName)) base = textOf(record.get(baseName));
    for (const label of bases) if (record.has(label)) current.set(label, baseValue(record.get(label)));
    const own = textOf(record.get(name));
    if (base.length + own.length > nameCharactersMax)
      throw new Malformed('senml', `a name has more than ${nameCharactersMax} characters`);
    if (setsBasesOnly(labels, record, base + own)) continue;
    const [prefix, path] = divide(base + own);
    const whole = new Map([...current, ...record, [name, path]]);
    whole.delete(baseName);
    const part = parts.get(prefix);
    if (part) part.push(whole);
    else parts.set(prefix, [whole]);
  }
  return parts;
};

/** A key is a prefix, an id, or a list of ids that may begin with a prefix (LwM2M Gateway 1.1.1 §9). */
const dividedKey = (key: CborItem): [prefix: string, rest: CborItem | undefined] => {
  const [first, ...rest] = Array.isArray(key) ? key : [key];
  if (typeof first !== 'string') return ['', key];
  return [first, rest.length > 1 ? rest : rest[0]];
};

const splitMap = (root: Map<CborItem, CborItem>): Map<string, Map<CborItem, CborItem>> => {
  const parts = new Map<string, Map<CborItem, CborItem>>();
  for (const [key, value] of root) {
    const [prefix, rest] = dividedKey(key);
    const entries = rest === undefined ? value : new Map([[rest, value]]);
    if (!(entries instanceof Map)) throw new Malformed('lwm2m-cbor', 'a prefix has no map');
    const part = parts.get(prefix) ?? new Map<CborItem, CborItem>();
    for (const [path, content] of entries as Map<CborItem, CborItem>) {
      if (part.has(path)) throw new Malformed('lwm2m-cbor', 'has a path twice');
      part.set(path, content);
    }
    parts.set(prefix, part);
  }
  return parts;
};

const mapped = <A, B>(map: Map<string, A>, change: (value: A) => B): Map<string, B> =>
  new Map([...map].map(([key, value]) => [key, change(value)]));

/**
 * The parts of a payload by the prefix of their paths, each without the prefix; '' stands for the gateway itself. Throws
 * Malformed or UnsupportedFormat.
 */
export const splitByPrefix = (format: number, bytes: Buffer): Map<string, Buffer> => {
  if (format === lwm2mCbor) return mapped(splitMap(mapOf(bytes)), encodeCborItem);
  if (!packs.includes(format)) return refuse(format);
  return mapped(splitPack(format, readPack(format, bytes)), (pack) => writePack(format, pack));
};

/** The payload of one device behind a gateway. Throws Malformed, also when the payload names another device. */
export const removePrefix = (format: number, bytes: Buffer, prefix: string): Buffer => {
  const parts = splitByPrefix(format, bytes);
  const other = [...parts.keys()].find((one) => one !== prefix);
  if (other !== undefined) throw new Malformed('prefix', `"${other.slice(0, 40)}" in a payload of "${prefix}"`);
  return parts.get(prefix) ?? bytes;
};

/**
 * The payload of a device with an alternate root, without the root at the start of each path; undefined if a path is not
 * below the root. Throws Malformed or UnsupportedFormat.
 */
export const belowRoot = (format: number, bytes: Buffer, root: string): Buffer | undefined => {
  if (format === lwm2mCbor) {
    let map = mapOf(bytes);
    for (const segment of root.slice(1).split('/')) {
      const parts = splitMap(map);
      const part = parts.get(segment);
      if (part === undefined || parts.size > 1) return undefined;
      map = part;
    }
    return encodeCborItem(map);
  }
  if (!packs.includes(format)) return refuse(format);
  const divide = (name: string): [string, string] => {
    if (name === root) return [root, '/'];
    return name.startsWith(`${root}/`) ? [root, name.slice(root.length)] : ['', name];
  };
  const parts = splitPack(format, readPack(format, bytes), divide);
  const part = parts.get(root);
  return part === undefined || parts.size > 1 ? undefined : writePack(format, part);
};
