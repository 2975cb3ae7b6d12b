import { Malformed, UnsupportedFormat } from '../errors.js';
import { covers, parsePath } from '../paths/path.js';
import { encodeCborItem } from './cbor.js';
import { contentFormat, currentFormat } from './content-format.js';
import { encodeLwm2mCbor } from './lwm2m-cbor-write.js';
import { encodeSenmlCbor, encodeSenmlJson } from './senml-write.js';
import { encodeTlv, scalarTlv, type TlvEntry } from './tlv.js';
import { formatLink, formatScalar, isObjectLink, type ResourceValue } from '../values/value.js';

const only = (values: readonly ResourceValue[], format: string): ResourceValue => {
  const [value] = values;
  if (!value || values.length > 1) throw new Malformed(format, 'carries exactly one value');
  return value;
};

const leaf = (kind: 'resource' | 'resource-instance', id: number, { value, type }: ResourceValue): TlvEntry => ({
  kind,
  id,
  value: scalarTlv(value, type),
  children: [],
});

const parent = (kind: 'object-instance' | 'multiple-resource', id: number, children: TlvEntry[]): TlvEntry => ({
  kind,
  id,
  value: Buffer.alloc(0),
  children,
});

const grouped = (values: readonly ResourceValue[], by: 'instance' | 'resource'): Map<number, ResourceValue[]> => {
  const groups = new Map<number, ResourceValue[]>();
  for (const value of values) {
    const id = parsePath(value.path)[by];
    if (id === undefined) throw new Malformed('tlv', `${value.path} is no resource`);
    const group = groups.get(id);
    if (group) group.push(value);
    else groups.set(id, [value]);
  }
  return groups;
};

const instanceId = (path: string): number => {
  const { resourceInstance } = parsePath(path);
  if (resourceInstance === undefined) throw new Malformed('tlv', `${path} has a value of its own beside instances`);
  return resourceInstance;
};

const resources = (values: readonly ResourceValue[]): TlvEntry[] =>
  [...grouped(values, 'resource')].map(([id, list]) => {
    const [first] = list;
    if (first && list.length === 1 && parsePath(first.path).resourceInstance === undefined)
      return leaf('resource', id, first);
    return parent(
      'multiple-resource',
      id,
      list.map((v) => leaf('resource-instance', instanceId(v.path), v)),
    );
  });

const tlv = (basePath: string, values: readonly ResourceValue[]): Buffer => {
  const stray = values.find(({ path }) => !covers(basePath, path));
  if (stray) throw new Malformed('tlv', `${stray.path} is not below ${basePath}`);
  if (new Set(values.map(({ path }) => path)).size < values.length)
    throw new Malformed('tlv', 'carries one value a path');
  if (parsePath(basePath).instance !== undefined) return encodeTlv(resources(values));
  return encodeTlv(
    [...grouped(values, 'instance')].map(([id, list]) => parent('object-instance', id, resources(list))),
  );
};

/**
 * The payload of a write or an answer for `basePath`. Text, opaque and CBOR carry one value. Throws Malformed when the
 * values do not fit the format, UnsupportedFormat for a format this library cannot write.
 */
export const encodeValues = (format: number, basePath: string, values: readonly ResourceValue[]): Buffer => {
  switch (currentFormat(format)) {
    case contentFormat.text:
      return Buffer.from(formatScalar(only(values, 'text').value));
    case contentFormat.opaque: {
      const { value } = only(values, 'opaque');
      return Buffer.isBuffer(value) ? value : Buffer.from(formatScalar(value));
    }
    case contentFormat.cbor: {
      const { value } = only(values, 'cbor');
      return encodeCborItem(isObjectLink(value) ? formatLink(value) : value);
    }
    case contentFormat.tlv:
      return tlv(basePath, values);
    case contentFormat.senmlJson:
      return encodeSenmlJson(values);
    case contentFormat.senmlCbor:
      return encodeSenmlCbor(values);
    case contentFormat.lwm2mCbor:
      return encodeLwm2mCbor(values);
    default:
      throw new UnsupportedFormat(format);
  }
};
