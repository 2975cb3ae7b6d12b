import {
  contentFormatOf,
  decodeValues,
  formatScalar,
  Malformed,
  type ModelRegistry,
  parsePath,
  type ResourceModel,
  type ResourceType,
  type ResourceValue,
  UnsupportedFormat,
} from '@lanyard/lwm2m';

export type DecodedScalar = string | number | boolean;

/** A value of its type; for a resource with instances, one value per instance id. */
export type Decoded = DecodedScalar | Record<string, DecodedScalar>;

/** Formats that carry the types of values: numbers, strings, booleans. */
const selfDescribing = /cbor|json/;

/**
 * The value in a form that JSON has. Integers that a number cannot hold exactly, and object links, become strings; a
 * float stays a number, also if the device sent it as such an integer. undefined: the value is opaque, NaN or infinity.
 */
const scalar = ({ value, type }: ResourceValue): DecodedScalar | undefined => {
  if (Buffer.isBuffer(value) || (typeof value === 'number' && !Number.isFinite(value))) return undefined;
  if (typeof value === 'bigint' && type === 'float') return Number(value);
  return typeof value === 'object' || typeof value === 'bigint' ? formatScalar(value) : value;
};

const instancesOf = (path: string, values: readonly ResourceValue[]): Record<string, DecodedScalar> | undefined => {
  const entries = values.map((value) => [value.path.slice(path.length + 1), scalar(value)] as const);
  const isBelow = values.every((value) => value.path.startsWith(`${path}/`));
  if (!isBelow || entries.length === 0 || entries.some(([, value]) => value === undefined)) return undefined;
  return Object.fromEntries(entries) as Record<string, DecodedScalar>;
};

export const modelOf = (path: string, models: ModelRegistry): ResourceModel | undefined => {
  const { object, resource } = parsePath(path);
  return resource === undefined ? undefined : models.resource(object, resource);
};

/** undefined if the type is unknown or opaque, or if the device sent a value of another type, NaN or infinity. */
export const decode = (
  path: string,
  contentType: string,
  bytes: Buffer,
  models: ModelRegistry,
): Decoded | undefined => {
  const format = contentFormatOf(contentType);
  const type: ResourceType | undefined = modelOf(path, models)?.type;
  if (format === undefined || (type === undefined && !selfDescribing.test(contentType))) return undefined;
  try {
    const values = decodeValues(format, bytes, path, models);
    const [only] = values;
    return values.length === 1 && only?.path === path ? scalar(only) : instancesOf(path, values);
  } catch (error) {
    if (error instanceof Malformed || error instanceof UnsupportedFormat) return undefined;
    throw error;
  }
};
