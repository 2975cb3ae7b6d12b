import { contentFormat, encodeValues, type ResourceValue } from '@lanyard/lwm2m';

export interface Encoded {
  payload: Buffer;
  contentFormat: number;
}

/** The format that a device chooses if the server names none. */
const preferred = (
  base: string | undefined,
  [first, ...more]: readonly ResourceValue[],
  formats: readonly number[],
): number => {
  if (first && more.length === 0 && first.path === base)
    return first.type === 'opaque' ? contentFormat.opaque : contentFormat.text;
  return formats.includes(contentFormat.senmlJson) ? contentFormat.senmlJson : contentFormat.tlv;
};

/**
 * Values at `base`, or without a base those of several paths, in the format that the server accepts. undefined when the device
 * does not support the format. Throws Malformed when the format cannot carry the values.
 */
export const encodeFor = (
  { base, accept, formats }: { base: string | undefined; accept: number | undefined; formats: readonly number[] },
  values: readonly ResourceValue[],
): Encoded | undefined => {
  const format = accept ?? preferred(base, values, formats);
  if (!formats.includes(format)) return undefined;
  return { payload: encodeValues(format, base ?? '/', values), contentFormat: format };
};

/** Whether the values of the format have times. */
export const isTimed = (format: number | undefined): boolean =>
  format === contentFormat.senmlJson || format === contentFormat.senmlCbor;
