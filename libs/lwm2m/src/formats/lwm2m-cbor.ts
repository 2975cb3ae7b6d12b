import { Malformed } from '../errors.js';
import { formatPath } from '../paths/path.js';
import { type CborItem, decodeCborItem } from './cbor.js';
import { recordsMax, type SenmlRecord } from './senml.js';
import { type ResourceType, type Scalar } from '../values/value.js';

/** Object, instance, resource, resource instance. */
const idsMax = 4;

/** 65535 is reserved (LwM2M 1.1 core §7.2). */
const idMax = 65_534;

const broken = (problem: string): Malformed => new Malformed('lwm2m-cbor', problem);

const idsOf = (key: CborItem): number[] => {
  const ids = Array.isArray(key) ? key : [key];
  if (ids.length === 0 || !ids.every((id) => Number.isInteger(id) && (id as number) >= 0 && (id as number) <= idMax))
    throw broken('a key is neither an id nor a list of ids');
  return ids as number[];
};

const typeOf = (value: Scalar): ResourceType => {
  if (typeof value === 'string') return 'string';
  if (typeof value === 'boolean') return 'boolean';
  if (Buffer.isBuffer(value)) return 'opaque';
  return typeof value === 'bigint' || Number.isInteger(value) ? 'integer' : 'float';
};

const record = (ids: readonly number[], value: CborItem): SenmlRecord => {
  const [object, instance, resource, resourceInstance] = ids;
  if (object === undefined || resource === undefined) throw broken('a value stands above the resources');
  if (value === null || value === undefined || Array.isArray(value) || value instanceof Map)
    throw broken('a resource has no single value');
  const name = formatPath({ object, instance, resource, ...(resourceInstance !== undefined && { resourceInstance }) });
  return { name, value, type: typeOf(value) };
};

const below = (map: Map<CborItem, CborItem>, base: readonly number[]): SenmlRecord[] =>
  [...map].flatMap(([key, value]) => {
    const ids = [...base, ...idsOf(key)];
    if (ids.length > idsMax) throw broken('a path has more than four ids');
    return value instanceof Map ? below(value, ids) : [record(ids, value)];
  });

/**
 * The CBOR format of LwM2M 1.2 (content format 11544): maps within maps, by one id (`{3: {0: {0: "x"}}}`) or by several
 * (`{[3, 0]: {0: "x"}}`), down to values. Paths are whole; there are no times. Throws Malformed.
 */
export const decodeLwm2mCbor = (bytes: Buffer): SenmlRecord[] => {
  const root = decodeCborItem(bytes);
  if (!(root instanceof Map)) throw broken('is no map');
  const records = below(root, []);
  if (records.length > recordsMax) throw broken(`has more than ${recordsMax} values`);
  return records;
};
