import {
  contentFormatOf,
  covers,
  decodeValues,
  decodeWriteComposite,
  formatScalar,
  Malformed,
  type ModelRegistry,
  parsePath,
  type ResourceValue,
  standardModels,
  UnsupportedFormat,
} from '@lanyard/lwm2m';

export interface ResourceBytes {
  path: string;
  value: Buffer;
  contentType: string;
}

const standard = standardModels();

const bytesOf = ({ path, value }: ResourceValue): ResourceBytes =>
  Buffer.isBuffer(value)
    ? { path, value, contentType: 'application/octet-stream' }
    : { path, value: Buffer.from(formatScalar(value)), contentType: 'text/plain' };

/** The target of IPATCH, whose payload names the paths. */
const everything = '/';

/** Whether the path is that of one resource, or of an instance of a resource. */
export const isSingleResource = (path: string): boolean =>
  path !== everything && parsePath(path).resource !== undefined;

/**
 * The resources in a payload. A value of one resource stays as the device sent it; a whole instance or object is
 * split, each resource as text, opaque ones as bytes. A payload that cannot be parsed is kept whole, unless it belongs to an
 * IPATCH: that is a write to no resource, like a payload that only removes.
 */
export const expand = (
  path: string,
  contentType: string,
  payload: Buffer,
  models: ModelRegistry = standard,
): ResourceBytes[] => {
  const whole = path === everything ? [] : [{ path, value: payload, contentType }];
  const format = contentFormatOf(contentType);
  if (isSingleResource(path) || format === undefined) return whole;
  try {
    if (path === everything) return decodeWriteComposite(format, payload, models).map(bytesOf);
    const values = decodeValues(format, payload, path, models);
    // Paths that were not requested are ignored.
    const isInside = values.length > 0 && values.every((value) => covers(path, value.path));
    return isInside ? values.map(bytesOf) : whole;
  } catch (error) {
    if (error instanceof Malformed || error instanceof UnsupportedFormat) return whole;
    throw error;
  }
};
