import { Malformed } from '../errors.js';
import { contentFormat } from './content-format.js';
import { addPrefix, belowRoot, namesPaths } from './prefix.js';

/** A payload that cannot be read stays as it is, and its recipient refuses it. */
const unlessMalformed = (bytes: Buffer, change: () => Buffer): Buffer => {
  try {
    return change();
  } catch (error) {
    if (error instanceof Malformed) return bytes;
    throw error;
  }
};

/**
 * The payload for a device with an alternate root, such as `/lwm2m`: names in SenML and SenML-ETCH are below the root
 * (LwM2M 1.2.1 transport §6.4.1). The paths in LwM2M CBOR are numbers and stay unchanged. '' means no root.
 */
export const addRoot = (format: number, bytes: Buffer, root: string): Buffer => {
  if (root === '' || !namesPaths(format) || format === contentFormat.lwm2mCbor) return bytes;
  return unlessMalformed(bytes, () => addPrefix(format, bytes, root.slice(1)));
};

/**
 * The payload of a device with an alternate root, with the root removed from its names. If a name lacks the root, as in
 * payloads of older devices, the payload stays unchanged.
 */
export const removeRoot = (format: number, bytes: Buffer, root: string): Buffer => {
  if (root === '' || !namesPaths(format)) return bytes;
  return unlessMalformed(bytes, () => belowRoot(format, bytes, root) ?? bytes);
};
