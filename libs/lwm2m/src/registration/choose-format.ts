import { contentFormat, currentFormat } from '../formats/content-format.js';
import type { ResourceType } from '../values/value.js';
import type { ResourceModel } from '../models/model-registry.js';
import { parsePath } from '../paths/path.js';

/** The number that a device knows a format by: an old one where it names only that. */
export const numberFor = (format: number, rootContentFormats: readonly number[]): number => {
  if (rootContentFormats.includes(format)) return format;
  return rootContentFormats.find((one) => currentFormat(one) === format) ?? format;
};

/**
 * What to ask for when the caller has no wish: opaque bytes as opaque, any other single value as text, and TLV for what
 * holds several values. A resource of unknown type is asked for as text: a device that has none of it refuses.
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

/** Formats of several values beside TLV, the most compact first. */
const structured = [contentFormat.senmlCbor, contentFormat.senmlJson, contentFormat.lwm2mJson] as const;

/** What to ask for where TLV is refused: a format of several values that the device names; undefined when it names none. */
export const chooseInsteadOfTlv = (rootContentFormats: readonly number[]): number | undefined => {
  const format = structured.find((one) => rootContentFormats.some((listed) => currentFormat(listed) === one));
  return format === undefined ? undefined : numberFor(format, rootContentFormats);
};

/**
 * What to write a single value in when the caller names no format: opaque bytes as opaque, anything else as text.
 */
export const chooseWriteFormat = (type: ResourceType | undefined): number =>
  type === 'opaque' ? contentFormat.opaque : contentFormat.text;
