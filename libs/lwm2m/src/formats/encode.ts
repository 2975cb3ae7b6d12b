import { Malformed, UnsupportedFormat } from '../errors.js';
import { parsePath } from '../paths/path.js';
import { contentFormat, currentFormat } from './content-format.js';
import { encodeCborItem, encodeSenmlCbor, encodeSenmlJson } from './senml.js';
import { encodeTlv, scalarTlv, type TlvEntry } from './tlv.js';
import { formatScalar, type ResourceValue } from './value.js';

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
    groups.set(id, [...(groups.get(id) ?? []), value]);
  }
  return groups;
};

const resources = (values: readonly ResourceValue[]): TlvEntry[] =>
  [...grouped(values, 'resource')].map(([id, list]) => {
    const [first] = list;
    if (first && list.length === 1 && parsePath(first.path).resourceInstance === undefined)
      return leaf('resource', id, first);
    return parent(
      'multiple-resource',
      id,
      list.map((v) => leaf('resource-instance', parsePath(v.path).resourceInstance ?? 0, v)),
    );
  });

const tlv = (basePath: string, values: readonly ResourceValue[]): Buffer => {
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
    case contentFormat.cbor:
      return encodeCborItem(only(values, 'cbor').value);
    case contentFormat.tlv:
      return tlv(basePath, values);
    case contentFormat.senmlJson:
      return encodeSenmlJson(values);
    case contentFormat.senmlCbor:
      return encodeSenmlCbor(values);
    default:
      throw new UnsupportedFormat(format);
  }
};
