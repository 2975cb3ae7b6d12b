import { Malformed, UnsupportedFormat } from '../errors.js';
import type { ModelRegistry } from '../models/model-registry.js';
import { formatPath, isPath, parsePath, type Path } from '../paths/path.js';
import { contentFormat, currentFormat } from './content-format.js';
import { decodeCborItem } from './cbor.js';
import { decodeLwm2mCbor } from './lwm2m-cbor.js';
import { decodeLwm2mJson } from './lwm2m-json.js';
import { decodeSenmlCbor, decodeSenmlJson, type SenmlRecord } from './senml.js';
import { decodeTlv, type TlvEntry, tlvScalar } from './tlv.js';
import { parseScalar, type ResourceType, type ResourceValue, type Scalar, typeOfScalar } from '../values/value.js';

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

/** TLV carries no types: resources without a model stay bytes. */
const tlvValue = (entry: TlvEntry, at: Path, models: ModelRegistry): ResourceValue => {
  const path = formatPath(at);
  const type = typeAt(path, models) ?? 'opaque';
  return { path, value: tlvScalar(entry.value, type), type };
};

/** `base` with the id of an entry; an id that `base` already has must be the same one. */
const deeper = (base: Path, level: 'instance' | 'resource' | 'resourceInstance', id: number): Path => {
  if (base[level] !== undefined && base[level] !== id)
    throw new Malformed('tlv', `${level} ${id} in an answer for ${formatPath(base)}`);
  return { ...base, [level]: id };
};

const tlvValues = (entries: readonly TlvEntry[], base: Path, models: ModelRegistry): ResourceValue[] =>
  entries.flatMap((entry): ResourceValue[] => {
    const { kind, id, children } = entry;
    if (kind === 'object-instance') return tlvValues(children, deeper(base, 'instance', id), models);
    if (base.instance === undefined || (kind === 'resource-instance' && base.resource === undefined))
      throw new Malformed('tlv', `a ${kind} in an answer for ${formatPath(base)}`);
    if (kind === 'resource-instance') return [tlvValue(entry, deeper(base, 'resourceInstance', id), models)];
    const resource = deeper(base, 'resource', id);
    if (kind === 'resource') return [tlvValue(entry, resource, models)];
    return children.map((child) => tlvValue(child, deeper(resource, 'resourceInstance', child.id), models));
  });

const numberTypes: readonly (ResourceType | undefined)[] = ['integer', 'unsigned', 'float', 'time'];

/** Numbers and strings get the type of the model if it is compatible. */
const retyped = (value: Scalar, given: ResourceType, wanted: ResourceType | undefined): ResourceType => {
  if (typeof value === 'number' || typeof value === 'bigint')
    return wanted !== undefined && numberTypes.includes(wanted) ? wanted : given;
  return typeof value === 'string' && wanted === 'corelnk' ? wanted : given;
};

/** The values of records, with the types of the model. Records without a value are left out. Throws Malformed. */
export const recordValues = (records: readonly SenmlRecord[], models: ModelRegistry): ResourceValue[] =>
  records.flatMap(({ name, value, type, timeMs }) => {
    if (value === undefined) return [];
    if (!isPath(name) || parsePath(name).resource === undefined)
      throw new Malformed('senml', `"${name.slice(0, 40)}" is no path of a resource`);
    return [
      { path: name, value, type: retyped(value, type, typeAt(name, models)), ...(timeMs !== undefined && { timeMs }) },
    ];
  });

/** Values of the type in a format that has only strings for them: base64 of bytes, or the text form of links. */
const withParsed = (
  values: readonly ResourceValue[],
  type: 'opaque' | 'objlnk',
  models: ModelRegistry,
): ResourceValue[] =>
  values.map((one) =>
    typeof one.value === 'string' && typeAt(one.path, models) === type
      ? { ...one, value: parseScalar(one.value, type), type }
      : one,
  );

export const lwm2mCborValues = (records: readonly SenmlRecord[], models: ModelRegistry): ResourceValue[] =>
  withParsed(recordValues(records, models), 'objlnk', models);

const cborValue = (bytes: Buffer, path: string, models: ModelRegistry): ResourceValue[] => {
  const item = decodeCborItem(bytes);
  const wanted = typeAt(single(path, 'cbor'), models);
  if (item === null || item === undefined || Array.isArray(item) || item instanceof Map)
    throw new Malformed('cbor', 'is no single value');
  return withParsed([{ path, value: item, type: retyped(item, typeOfScalar(item), wanted) }], 'objlnk', models);
};

/**
 * The resource values in an answer or notification. `basePath`: the path that was requested; SenML and LwM2M CBOR name
 * their own paths, and LwM2M JSON does if it has a base name. Throws Malformed or UnsupportedFormat.
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
      return tlvValues(decodeTlv(bytes), parsePath(base), models);
    case contentFormat.lwm2mJson:
    case contentFormat.json:
      // Opaque values are strings in base64 (LwM2M 1.0 §6.4.4).
      return withParsed(recordValues(decodeLwm2mJson(bytes, base, nowMs), models), 'opaque', models);
    default:
      return decodeSend(format, bytes, models, nowMs);
  }
};

/**
 * The values of a Send (LwM2M 1.2 core §6.4.6) or of the answer to a composite read, whose payloads name all paths. Throws
 * Malformed or UnsupportedFormat.
 */
export const decodeSend = (format: number, bytes: Buffer, models: ModelRegistry, nowMs?: number): ResourceValue[] => {
  switch (format) {
    case contentFormat.senmlJson:
      return recordValues(decodeSenmlJson(bytes, nowMs), models);
    case contentFormat.senmlCbor:
      return recordValues(decodeSenmlCbor(bytes, nowMs), models);
    case contentFormat.lwm2mCbor:
      return lwm2mCborValues(decodeLwm2mCbor(bytes), models);
    default:
      throw new UnsupportedFormat(format);
  }
};
