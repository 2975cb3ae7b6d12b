import { Malformed } from '../errors.js';
import { parsePath } from '../paths/path.js';
import { formatLink, isObjectLink, type ResourceValue, type Scalar } from '../values/value.js';
import { type CborItem, encodeCborItem } from './cbor.js';

const broken = (problem: string): Malformed => new Malformed('lwm2m-cbor', problem);

const itemOf = (value: Scalar): CborItem => (isObjectLink(value) ? formatLink(value) : value);

/** The map under `id` in `map`, created if it does not exist. */
const within = (map: Map<CborItem, CborItem>, id: number, path: string): Map<CborItem, CborItem> => {
  const known = map.get(id);
  if (known instanceof Map) return known;
  if (known !== undefined) throw broken(`${path} is below a path that has a value`);
  const made = new Map<CborItem, CborItem>();
  map.set(id, made);
  return made;
};

/** Nested maps with one id per level, from the object down (LwM2M 1.2.2 core §7.5.4). Throws Malformed. */
export const encodeLwm2mCbor = (values: readonly ResourceValue[]): Buffer => {
  const root = new Map<CborItem, CborItem>();
  for (const { path, value } of values) {
    const { object, instance, resource, resourceInstance } = parsePath(path);
    if (instance === undefined || resource === undefined) throw broken(`${path} is no resource`);
    let map = within(within(root, object, path), instance, path);
    if (resourceInstance !== undefined) map = within(map, resource, path);
    const id = resourceInstance ?? resource;
    if (map.has(id)) throw broken(`carries one value a path, and ${path} has two`);
    map.set(id, itemOf(value));
  }
  return encodeCborItem(root);
};
