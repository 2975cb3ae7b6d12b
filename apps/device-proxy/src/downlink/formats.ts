import {
  chooseWriteFormat,
  contentFormat,
  contentFormatOf,
  decodeSend,
  encodeValues,
  formatPath,
  isPath,
  Malformed,
  mediaTypeOf as nameOf,
  type ModelRegistry,
  namesIn,
  parsePath,
  readCompositeFormats,
  type ResourceValue,
  writeCompositeFormats,
} from '@lanyard/lwm2m';

/** Media type of what a device sent. Without a Content-Format, a resource is text, and anything larger is opaque. */
export const mediaTypeOf = (format: number | undefined, path: string): string => {
  if (format !== undefined) return nameOf(format);
  const single = path !== '/' && parsePath(path).resource !== undefined;
  return nameOf(!single ? contentFormat.opaque : contentFormat.text);
};

/** RFC 7252 §12.3. */
const formatMax = 65_535;

/** The Content-Format of a media type, or of a number. undefined: not a format of devices. */
export const formatOf = (mediaType: string): number | undefined => {
  if (!/^\d{1,5}$/.test(mediaType)) return contentFormatOf(mediaType);
  return Number(mediaType) > formatMax ? undefined : Number(mediaType);
};

/**
 * The media type of a raw body, if the type says something about the value. HTTP clients send a default type, usually JSON,
 * when the caller sets none.
 */
export const bodyMediaType = (header: string | undefined): string | null => {
  const format = header === undefined ? undefined : contentFormatOf(header);
  return format === undefined || format === contentFormat.json ? null : nameOf(format);
};

/** The format of a payload whose sender names none: by the type of the resource; an instance is TLV. */
export const writeFormat = (path: string, models: ModelRegistry): number => {
  const { object, resource } = parsePath(path);
  if (resource === undefined) return contentFormat.tlv;
  return chooseWriteFormat(models.resource(object, resource)?.type);
};

export interface SentValue {
  path: string;
  payload: Buffer;
  contentType: string;
  /** The time that the device names. */
  timeMs?: number;
}

/** The value as if its resource had been read alone. */
const asSingleRead = (value: ResourceValue): SentValue => {
  const own = chooseWriteFormat(value.type);
  const payload = encodeValues(own, value.path, [value]);
  return { path: value.path, payload, contentType: nameOf(own), timeMs: value.timeMs };
};

/**
 * The values of a Send, or of an answer that names its paths itself, each as if its resource had been read alone. Throws
 * Malformed or UnsupportedFormat.
 */
export const readSend = (
  format: number | undefined,
  payload: Buffer,
  models: ModelRegistry,
  nowMs: number,
): SentValue[] => decodeSend(format ?? contentFormat.senmlJson, payload, models, nowMs).map(asSingleRead);

/** Each path in the payload, once; or why the payload is not a list of paths (for a write: with values). */
export const compositePaths = (
  operation: 'read' | 'write',
  contentType: string | null,
  payload: Buffer | null,
): { paths: string[] } | { problem: string } => {
  const formats = operation === 'read' ? readCompositeFormats : writeCompositeFormats;
  const format = contentType === null ? contentFormat.senmlJson : formatOf(contentType);
  if (format === undefined || !formats.includes(format))
    return { problem: `Must be ${formats.map(nameOf).join(', ')}` };
  try {
    const names = namesIn(format, payload ?? Buffer.alloc(0));
    if (names.length === 0) return { problem: 'Must name a path' };
    if (!names.every(isPath)) return { problem: 'Contains an entry that is not a path' };
    return { paths: [...new Set(names.map((name) => formatPath(parsePath(name))))] };
  } catch (error) {
    if (error instanceof Malformed) return { problem: error.message };
    throw error;
  }
};
