import { contentFormat, currentFormat } from '../formats/content-format.js';
import type { ResourceType } from '../values/value.js';
import type { ResourceModel } from '../models/model-registry.js';
import { parsePath } from '../paths/path.js';

/** The number of a format for a device: the old number if the device lists only that one. */
export const numberFor = (format: number, rootContentFormats: readonly number[]): number => {
  if (rootContentFormats.includes(format)) return format;
  return rootContentFormats.find((one) => currentFormat(one) === format) ?? format;
};

/**
 * The format to request if the caller names none: opaque for bytes, text for any other single value, and TLV for several
 * values. A resource of unknown type is requested as text: a device that cannot send it as text refuses.
 */
export const chooseAccept = (
  path: string,
  model: Pick<ResourceModel, 'type' | 'multiple'> | undefined,
  rootContentFormats: readonly number[],
): number => {
  const { resource, resourceInstance } = parsePath(path);
  const single = resource !== undefined && (resourceInstance !== undefined || model?.multiple !== true);
  return numberFor(single ? chooseWriteFormat(model?.type) : contentFormat.tlv, rootContentFormats);
};

/** Formats of several values besides TLV: first those that can carry times, and of two, the more compact one first. */
const structured = [
  contentFormat.senmlCbor,
  contentFormat.senmlJson,
  contentFormat.lwm2mCbor,
  contentFormat.lwm2mJson,
] as const;

/** The format to request if TLV is refused: another one for several values that the device lists; undefined if it lists none. */
export const chooseInsteadOfTlv = (rootContentFormats: readonly number[]): number | undefined => {
  const format = structured.find((one) => rootContentFormats.some((listed) => currentFormat(listed) === one));
  return format === undefined ? undefined : numberFor(format, rootContentFormats);
};

/** The format in which to write a single value if the caller names none: opaque for bytes, otherwise text. */
export const chooseWriteFormat = (type: ResourceType | undefined): number =>
  type === 'opaque' ? contentFormat.opaque : contentFormat.text;
