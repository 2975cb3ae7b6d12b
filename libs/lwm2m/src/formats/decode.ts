import { Malformed, UnsupportedFormat } from '../errors.js';
import type { ModelRegistry } from '../models/model-registry.js';
import { formatPath, isPath, parsePath } from '../paths/path.js';
import { contentFormat, currentFormat } from './content-format.js';
import { decodeLwm2mJson } from './lwm2m-json.js';
import { decodeCborItem, decodeSenmlCbor, decodeSenmlJson, type SenmlRecord } from './senml.js';
import { decodeTlv, type TlvEntry, tlvScalar } from './tlv.js';
import { exact, parseScalar, type ResourceType, type ResourceValue, type Scalar } from './value.js';

const typeAt = (path: string, models: ModelRegistry): ResourceType | undefined => {
  const { object, resource } = parsePath(path);
  return resource === undefined ? undefined : models.resource(object, resource)?.type;
};

const single = (path: string, format: string): string => {
  if (parsePath(path).resource === undefined) throw new Malformed(format, `${path} is no single resource`);
  return path;
};

const valueOfText = (bytes: Buffer, path: string, models: ModelRegistry): ResourceValue[] => {
  const type = typeAt(single(path, 'text'), models) ?? 'string';
  return [{ path, value: parseScalar(bytes.toString('utf8'), type), type }];
};

const below = (base: string, ...ids: number[]): string => [base === '/' ? '' : base, ...ids].join('/');

/** TLV carries no types: what the models do not know stays bytes. */
const tlvValue = (entry: TlvEntry, path: string, models: ModelRegistry): ResourceValue => {
  const type = typeAt(path, models) ?? 'opaque';
  return { path, value: tlvScalar(entry.value, type), type };
};

const tlvValues = (entries: readonly TlvEntry[], base: string, models: ModelRegistry): ResourceValue[] => {
  const { instance, resource, resourceInstance } = parsePath(base);
  return entries.flatMap((entry): ResourceValue[] => {
    switch (entry.kind) {
      case 'object-instance':
        if (instance !== undefined && entry.id !== instance)
          throw new Malformed('tlv', `instance ${entry.id} in an answer for ${base}`);
        return tlvValues(entry.children, instance === undefined ? below(base, entry.id) : base, models);
      case 'multiple-resource':
        return entry.children.map((child) =>
          tlvValue(child, below(resource === undefined ? below(base, entry.id) : base, child.id), models),
        );
      case 'resource-instance':
        return [tlvValue(entry, resourceInstance === undefined ? below(base, entry.id) : base, models)];
      case 'resource':
        if (instance === undefined)
          throw new Malformed('tlv', `a resource outside an instance in an answer for ${base}`);
        return [tlvValue(entry, resource === undefined ? below(base, entry.id) : base, models)];
    }
  });
};

const retyped = (value: Scalar, given: ResourceType, wanted: ResourceType | undefined): ResourceType =>
  wanted !== undefined &&
  (typeof value === 'number' || typeof value === 'bigint') &&
  ['integer', 'unsigned', 'float', 'time'].includes(wanted)
    ? wanted
    : given;

const recordValues = (records: readonly SenmlRecord[], models: ModelRegistry): ResourceValue[] =>
  records.flatMap(({ name, value, type, timeMs }) => {
    if (value === undefined) return [];
    if (!isPath(name)) throw new Malformed('senml', `"${name.slice(0, 40)}" is no LwM2M path`);
    return [
      { path: name, value, type: retyped(value, type, typeAt(name, models)), ...(timeMs !== undefined && { timeMs }) },
    ];
  });

const cborValue = (bytes: Buffer, path: string, models: ModelRegistry): ResourceValue[] => {
  const item = decodeCborItem(bytes);
  const value = typeof item === 'bigint' ? exact(item) : item instanceof Uint8Array ? Buffer.from(item) : item;
  if (!['string', 'number', 'bigint', 'boolean'].includes(typeof value) && !Buffer.isBuffer(value))
    throw new Malformed('cbor', 'is no single value');
  const scalar = value as Scalar;
  const given: ResourceType =
    typeof scalar === 'string'
      ? 'string'
      : typeof scalar === 'boolean'
        ? 'boolean'
        : Buffer.isBuffer(scalar)
          ? 'opaque'
          : 'float';
  return [{ path: single(path, 'cbor'), value: scalar, type: retyped(scalar, given, typeAt(path, models)) }];
};

/**
 * The resource values in an answer, notification or Send. `basePath`: what was asked for; SenML and LwM2M JSON name
 * their own paths. Throws Malformed or UnsupportedFormat.
 */
export const decodeValues = (
  format: number,
  bytes: Buffer,
  basePath: string,
  models: ModelRegistry,
  nowMs?: number,
): ResourceValue[] => {
  const base = formatPath(parsePath(basePath));
  switch (currentFormat(format)) {
    case contentFormat.text:
      return valueOfText(bytes, base, models);
    case contentFormat.opaque:
      return [{ path: single(base, 'opaque'), value: Buffer.from(bytes), type: 'opaque' }];
    case contentFormat.cbor:
      return cborValue(bytes, base, models);
    case contentFormat.tlv:
      return tlvValues(decodeTlv(bytes), base, models);
    case contentFormat.senmlJson:
      return recordValues(decodeSenmlJson(bytes, nowMs), models);
    case contentFormat.senmlCbor:
      return recordValues(decodeSenmlCbor(bytes, nowMs), models);
    case contentFormat.lwm2mJson:
    case contentFormat.json:
      return recordValues(decodeLwm2mJson(bytes), models);
    default:
      throw new UnsupportedFormat(format);
  }
};

/** The values of a Send (LwM2M 1.1 core §6.4.6), which names all its paths. */
export const decodeSend = (format: number, bytes: Buffer, models: ModelRegistry, nowMs?: number): ResourceValue[] => {
  const records =
    format === contentFormat.senmlJson
      ? decodeSenmlJson(bytes, nowMs)
      : format === contentFormat.senmlCbor
        ? decodeSenmlCbor(bytes, nowMs)
        : undefined;
  if (!records) throw new UnsupportedFormat(format);
  return recordValues(records, models);
};
