import { contentFormat, currentFormat } from '../formats/content-format.js';
import type { ResourceType } from '../formats/value.js';
import { parsePath } from '../paths/path.js';
import type { Lwm2mVersion } from './registration-parameters.js';

export interface Speaks {
  version: Lwm2mVersion;
  /** `ct` of the root link. */
  rootContentFormats: readonly number[];
}

/** Best first: compact before readable. */
const structured = [
  contentFormat.senmlCbor,
  contentFormat.tlv,
  contentFormat.senmlJson,
  contentFormat.lwm2mJson,
] as const;

/** The number that a device knows a format by: an old one where it names only that. */
export const numberFor = (format: number, rootContentFormats: readonly number[]): number => {
  if (rootContentFormats.includes(format)) return format;
  return rootContentFormats.find((one) => currentFormat(one) === format) ?? format;
};

/**
 * What to ask for when the caller has no wish: of the structured formats that the device names, the most compact; TLV
 * where it names none. undefined for a single resource: the device answers as it likes, and the answer says what it is.
 */
export const chooseAccept = (path: string, { rootContentFormats }: Speaks): number | undefined => {
  if (parsePath(path).resource !== undefined) return undefined;
  for (const format of structured) {
    if (rootContentFormats.some((one) => currentFormat(one) === format)) return numberFor(format, rootContentFormats);
  }
  return contentFormat.tlv;
};

/**
 * What to write a single value in when the caller names no format: opaque bytes as opaque, anything else as text.
 */
export const chooseWriteFormat = (type: ResourceType | undefined): number =>
  type === 'opaque' ? contentFormat.opaque : contentFormat.text;
