import {
  chooseWriteFormat,
  contentFormat,
  contentFormatOf,
  decodeSend,
  encodeValues,
  mediaTypeOf as nameOf,
  parsePath,
  standardModels,
} from '@lanyard/lwm2m';

/** Types of the resources everybody has; payloads that carry no types are read and written by them. */
const models = standardModels();

/** Media type of what a device sent. Without a Content-Format a resource is text, anything larger unknown bytes. */
export const mediaTypeOf = (format: number | undefined, path: string): string => {
  if (format !== undefined) return nameOf(format);
  return nameOf(parsePath(path).resource === undefined ? contentFormat.opaque : contentFormat.text);
};

/** A media type, or the number of a Content-Format. undefined: no format that devices know. */
export const formatOf = (mediaType: string): number | undefined =>
  /^\d{1,5}$/.test(mediaType) ? Number(mediaType) : contentFormatOf(mediaType);

/**
 * The media type of a raw body, if it says something about the value. HTTP clients send types of their own when nobody
 * sets one, and JSON is what they send most.
 */
export const bodyMediaType = (header: string | undefined): string | null => {
  const format = header === undefined ? undefined : contentFormatOf(header);
  return format === undefined || format === contentFormat.json ? null : nameOf(format);
};

/** The format of a payload whose sender names none: by the type of the resource; an instance is TLV. */
export const writeFormat = (path: string): number => {
  const { object, resource } = parsePath(path);
  if (resource === undefined) return contentFormat.tlv;
  return chooseWriteFormat(models.resource(object, resource)?.type);
};

export interface SentValue {
  path: string;
  payload: Buffer;
  contentType: string;
}

/** The values of a Send, each as if its resource had been read alone. Throws Malformed or UnsupportedFormat. */
export const readSend = (format: number | undefined, payload: Buffer, nowMs: number): SentValue[] =>
  decodeSend(format ?? contentFormat.senmlJson, payload, models, nowMs).map((value) => {
    const own = chooseWriteFormat(value.type);
    return { path: value.path, payload: encodeValues(own, value.path, [value]), contentType: nameOf(own) };
  });
