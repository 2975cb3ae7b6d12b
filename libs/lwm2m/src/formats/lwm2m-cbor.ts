import { Malformed } from '../errors.js';
import { formatPath } from '../paths/path.js';
import { type CborItem, decodeCborItem } from './cbor.js';
import { recordsMax, type SenmlRecord } from './senml.js';
import { typeOfScalar } from '../values/value.js';

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

const record = (ids: readonly number[], value: CborItem, removes: boolean): SenmlRecord => {
  const [object, instance, resource, resourceInstance] = ids;
  if (object === undefined || resource === undefined) throw broken('a value stands above the resources');
  const name = formatPath({ object, instance, resource, ...(resourceInstance !== undefined && { resourceInstance }) });
  if (value === null && removes) return { name, value: undefined, type: 'none' };
  if (value === null || value === undefined || Array.isArray(value) || value instanceof Map)
    throw broken('a resource has no single value');
  return { name, value, type: typeOfScalar(value) };
};

const below = (map: Map<CborItem, CborItem>, base: readonly number[], removes: boolean): SenmlRecord[] =>
  [...map].flatMap(([key, value]) => {
    const ids = [...base, ...idsOf(key)];
    if (ids.length > idsMax) throw broken('a path has more than four ids');
    return value instanceof Map ? below(value, ids, removes) : [record(ids, value, removes)];
  });

/**
 * The CBOR format of LwM2M 1.2 (content format 11544, LwM2M 1.2.2 core §7.5.4): nested maps from ids to values, with one
 * id per level (`{3: {0: {0: "x"}}}`) or several (`{[3, 0]: {0: "x"}}`). Paths are complete, and values have no times.
 * `removes`: the payload is of a Write-Composite, where null removes a resource instance. Throws Malformed.
 */
export const decodeLwm2mCbor = (bytes: Buffer, removes = false): SenmlRecord[] => {
  const root = decodeCborItem(bytes);
  if (!(root instanceof Map)) throw broken('is no map');
  const records = below(root, [], removes);
  if (records.length > recordsMax) throw broken(`has more than ${recordsMax} values`);
  return records;
};
